import { isMembers, read } from '../../wire/messages.js';
import type { ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { clientSurfaces } from '../request/switching.js';
import { panelNames } from '../table/routes.js';
import { howToWiden, whyReadOnly } from './how-to-switch.js';
import { switchTo } from './panel.js';
import { errorResult, summaryOf, textResult } from './sentence.js';
import { stateOf } from './switches.js';

/**
 * Answers a call that the page in a client makes: `concerns_read` and `concerns_update`. Any page of the server can make it,
 * so it may only show less.
 *
 * @param facts the call
 * @returns the result; `undefined` for clients that show no pages, for which these tools do not exist
 */
export function* callPageTool(facts: Facts): ResponseSteps<Record<string, unknown> | undefined> {
  if (!clientSurfaces(facts).app) return undefined;
  const { params } = facts.request;
  if (read(params, 'name') === panelNames(facts.policy.settings).readTool) return yield* describe(facts);
  const readOnly = whyReadOnly(facts);
  if (readOnly !== undefined) return errorResult(readOnly);
  const change = read(params, 'arguments', 'concerns');
  if (!isMembers(change))
    return errorResult('"concerns" must be an object of concern names and values. Nothing changed.');
  const outcome = yield* switchTo(facts, { ...change }, false);
  return outcome.state === 'changed' ? yield* describe(facts) : errorResult(outcome.message);
}

function* describe(facts: Facts): ResponseSteps<Record<string, unknown>> {
  const state = yield* stateOf(facts, howToWiden(facts));
  return { ...textResult(summaryOf(state)), structuredContent: state };
}
