import { ERRORS, read } from '../../wire/messages.js';
import { settleAccess } from '../enforce/access-check.js';
import {
  ask,
  type Deciding,
  type Outcome,
  type PanelPartName,
  type Row,
  refuse,
  reply,
} from '../request/decision.js';
import { reservedForSwitching } from '../request/generated/texts.js';
import { quoteValue } from '../request/quote-value.js';
import { nameIn } from '../table/routes.js';

/**
 * Returns how requests are decided that name a primitive of the gate. They never reach the server, which may have one of that
 * name itself. The answer may wait for the person. Later messages of the client, which can contain the person's answer, do
 * not wait for it.
 *
 * @param part makes the result
 */
const answeredBy = (part: PanelPartName): Row => ({
  *judge(): Deciding<Outcome> {
    const facts = yield* ask({ need: 'preferences', invalid: 'ignore' });
    const result = yield* (yield* ask({ need: 'panel', part }))(facts);
    if (result !== undefined) return reply(result, () => [{}]);
    const { method, params } = facts.request;
    const named = nameIn(method, params);
    const name = named && read(params, ...named.path);
    return refuse(ERRORS.invalidParams, reservedForSwitching({ name: quoteValue(name) }));
  },
  settle: settleAccess,
});

/** How requests for what the gate adds under `settings.panel` are decided. */
export const PANEL_ROWS = {
  panelTool: answeredBy('tool'),
  panelPageTool: answeredBy('pageTool'),
  panelPrompt: answeredBy('prompt'),
  panelPage: answeredBy('page'),
} as const satisfies { readonly [route: string]: Row };
