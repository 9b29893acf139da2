import { identityOf } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';
import { APP_MIME_TYPE } from '../request/client-surfaces.js';
import type { Exchange, Handler } from '../request/exchange.js';
import { clientSurfaces } from '../request/switching.js';
import { readConfiguration } from '../request/with-configuration.js';
import { PANEL } from '../table/panel-routes.js';

/** The result of a request; `undefined` if it does not exist for this client, so that the server must answer. */
type Result = Record<string, unknown> | undefined;

/**
 * Returns the handler of requests that name a primitive of the gate. The server answers if it has a primitive of that
 * name itself. The answer may wait for the person, so it is made beside the queue: later messages of the client,
 * which can contain the person's answer, are not held up.
 *
 * @param kind the list that a primitive of the server with the same name would be in
 * @param answer makes the result
 */
function answeredBy(kind: Kind, answer: (exchange: Exchange) => Promise<Result>): Handler {
  const answerOrPass = async (exchange: Exchange): Promise<void> => {
    const result = (await isOfServer(exchange, kind)) ? undefined : await answer(exchange);
    // False if the client has cancelled the request.
    if (!exchange.resume()) return;
    if (result === undefined) return exchange.judgeForServer();
    exchange.report();
    exchange.reply(result);
  };
  return {
    judge: (exchange) =>
      readConfiguration(exchange, () => {
        exchange.hold();
        answerOrPass(exchange).catch((cause) => exchange.connection.toClient(exchange.failureOf(cause)));
      }),
  };
}

function isOfServer(exchange: Exchange, kind: Kind): Promise<boolean> {
  const { policy, request, connection, ask } = exchange;
  const name = read(request.params, kind === 'resources' ? 'uri' : 'name');
  return new Promise((resolve) => {
    connection.catalog.get(kind, policy, ask, (outcome) => {
      const items = outcome.state === 'complete' ? outcome.list.bound.items : [];
      resolve(items.some((item) => identityOf(kind, item) === name));
    });
  });
}

/** How long hosts may keep the page, in milliseconds. It contains no data. */
const PAGE_TTL = 3_600_000;

async function readPage(exchange: Exchange): Promise<Result> {
  if (!clientSurfaces(exchange).app) return undefined;
  const { PANEL_HTML: text } = await import('./generated/page.js');
  const _meta = { ui: { csp: {}, prefersBorder: false } };
  const contents = [{ uri: PANEL.page, mimeType: APP_MIME_TYPE, text, _meta }];
  return exchange.era === 'modern' ? { contents, ttlMs: PAGE_TTL, cacheScope: 'public' } : { contents };
}

/** The handlers of what the gate adds under `settings.panel`. What they compute with is loaded when it is first needed. */
export const PANEL_HANDLERS = {
  panelTool: answeredBy('tools', async (exchange) => (await import('./tool.js')).callTool(exchange)),
  panelPageTool: answeredBy('tools', async (exchange) =>
    (await import('./page-tools.js')).callPageTool(exchange),
  ),
  panelPrompt: answeredBy('prompts', async (exchange) => (await import('./prompt.js')).getPrompt(exchange)),
  panelPage: answeredBy('resources', readPage),
} as const satisfies { readonly [route: string]: Handler };
