import { read } from '../../wire/messages.js';
import type { Exchange } from '../request/exchange.js';
import { clientSurfaces } from '../request/switching.js';
import { PANEL } from '../table/panel-routes.js';
import { whyReadOnly } from './how-to-switch.js';
import { pageKey } from './page-key.js';
import { errorResult, summaryOf, textResult } from './sentence.js';
import { stateOf, switchTo } from './switches.js';

/**
 * Answers a call that the page in a client makes: `concerns_read` and `concerns_update`.
 *
 * @param exchange the call
 * @returns the result; `undefined` for clients that show no pages, for which these tools do not exist
 */
export async function callPageTool(exchange: Exchange): Promise<Record<string, unknown> | undefined> {
  if (!clientSurfaces(exchange).app) return undefined;
  const { params } = exchange.request;
  if (read(params, 'name') === PANEL.readTool) return describe(exchange);
  const readOnly = whyReadOnly(exchange);
  if (readOnly !== undefined) return errorResult(readOnly);
  const key = pageKey(exchange);
  if (key === undefined || read(params, 'arguments', 'key') !== key) {
    return errorResult(
      `Only the page may change this. A person can open it with the tool "${PANEL.tool}"; a page from an earlier conversation must be opened again.`,
    );
  }
  const change = read(params, 'arguments', 'concerns');
  if (typeof change !== 'object' || change === null || Array.isArray(change)) {
    return errorResult('"concerns" must be an object of concern names and values. Nothing changed.');
  }
  const outcome = await switchTo(exchange, { ...change });
  return outcome.state === 'changed' ? describe(exchange) : errorResult(outcome.message);
}

async function describe(exchange: Exchange): Promise<Record<string, unknown>> {
  const state = await stateOf(exchange);
  return { ...textResult(summaryOf(state)), structuredContent: state };
}
