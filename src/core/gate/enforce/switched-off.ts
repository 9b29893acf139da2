import type { Decision } from '../../engine/evaluate.js';
import { ACCESS_METHODS, ERRORS, read } from '../../wire/messages.js';
import { alsoTell, type LazyReport, type RequestOutcome, refuse, reply } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { openToModel } from '../request/switching.js';
import { panelNames } from '../table/routes.js';

/**
 * Answers a request for what a list shows and the preferences of the session hide (`lists: stable`). A model that calls it
 * learns why, who can change it, and that the same call will not work.
 *
 * @param facts the request
 * @param name what it names
 * @param decision why it is hidden
 * @param tell what to report
 * @returns the failed result of a tool; an error where the client does not wait for one
 * @example
 * switchedOff(facts, 'deleteKey', decision, tell);
 */
export function switchedOff(
  facts: Facts,
  name: string,
  decision: Decision | undefined,
  tell: LazyReport,
): RequestOutcome {
  const { method, params } = facts.request;
  const text = `${JSON.stringify(name)} is switched off, because ${why(decision)}; do not retry: ${whoCan(facts, decision)}.`;
  const isCall = method === ACCESS_METHODS.call && read(params, 'task') === undefined;
  if (!isCall) return refuse(ERRORS.invalidParams, text, undefined, tell);
  return reply({ content: [{ type: 'text', text }], isError: true }, alsoTell(tell, { isError: true }));
}

function why(decision: Decision | undefined): string {
  const reason = decision?.reason;
  if (reason?.code === 'person') return 'the person hid this tool';
  if (reason?.code !== 'concern-mismatch') return 'a rule about the preferences of the session hides it';
  const { concern, preferred } = reason;
  return preferred.length === 0
    ? `the preference ${concern} of the session was lost`
    : `${concern} is ${preferred.join(' or ')}`;
}

function whoCan(facts: Facts, decision: Decision | undefined): string {
  const reason = decision?.reason;
  const concern = reason?.code === 'concern-mismatch' ? reason.concern : undefined;
  const { tool } = panelNames(facts.policy.settings);
  return openToModel(facts).some(({ name, model }) => name === concern && model === 'free')
    ? `the person, or you with the tool ${tool}, must change that first`
    : 'the person must change that first';
}
