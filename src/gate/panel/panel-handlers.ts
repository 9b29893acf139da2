import { identityOf } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';
import {
  type Deciding,
  type Outcome,
  type PanelPartName,
  panelPart,
  preferences,
  type Row,
  reply,
  wholeList,
} from '../request/decision.js';

/**
 * Returns how requests are decided that name a primitive of the gate. The server answers if it has a primitive of that
 * name itself. The answer may wait for the person. Later messages of the client, which can contain the person's answer, do
 * not wait for it.
 *
 * @param kind the list that a primitive of the server with the same name would be in
 * @param part makes the result
 */
const answeredBy = (kind: Kind, part: PanelPartName): Row => ({
  *judge(): Deciding<Outcome> {
    const facts = yield* preferences('ignore');
    const found = yield* wholeList(kind);
    const name = read(facts.request.params, kind === 'resources' ? 'uri' : 'name');
    const ofServer = found.state === 'complete' ? found.list.bound.items : [];
    const isOfServer = ofServer.some((item) => identityOf(kind, item) === name);
    const result = isOfServer ? undefined : yield* (yield* panelPart(part))(facts);
    return result === undefined ? { to: 'server primitive' } : reply(result, () => [{}]);
  },
});

/** How requests for what the gate adds under `settings.panel` are decided. */
export const PANEL_ROWS = {
  panelTool: answeredBy('tools', 'tool'),
  panelPageTool: answeredBy('tools', 'pageTool'),
  panelPrompt: answeredBy('prompts', 'prompt'),
  panelPage: answeredBy('resources', 'page'),
} as const satisfies { readonly [route: string]: Row };
