import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { HostConcerns, SessionRecord } from '../../session/store.js';
import { ERRORS, isMembers, read } from '../../wire/messages.js';
import { type RequestOutcome, type ResponseSteps, refuse, refuseValue, reply } from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';
import {
  type Decided,
  recordOf,
  type StoredPreferences,
  strongestOf,
  withoutModel,
} from '../request/kept-preferences.js';
import { describeConcerns, storeWarning } from '../request/report.js';
import { canKeep } from '../request/switching.js';
import { type Changed, changeKept, notStored } from './change-kept.js';

/**
 * Answers `updateConcerns`: replaces the host's preferences, and acknowledges them only after they are stored. Before the
 * answer, it announces the lists whose visible part changed, if the server announces changes of these lists.
 *
 * @param facts the request
 */
export function* updateConcerns(facts: RequestFacts): ResponseSteps<RequestOutcome> {
  const { request, policy } = facts;
  // It is not declared here either. A list must not change as a side effect of another request (MCP 2026-07-28, Tools),
  // unless the operator chose to keep preferences.
  if (!canKeep(facts))
    return refuse(ERRORS.methodNotFound, 'Method not found: this endpoint keeps no preferences of yours.', {
      hint: 'Send preferences with each request: in params._meta["io.github.mcp-concerns/concerns"].concerns, the Mcp-Concerns header or the URL, for example ?concerns=NAME:VALUE.',
    });
  const concerns = read(request.params, 'concerns');
  if (!isMembers(concerns))
    return refuse(
      ERRORS.invalidParams,
      'params.concerns must be an object of concern names and values. Send {} to remove all preferences.',
    );
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = update.invalid;
  if (invalid !== undefined) return refuseValue(facts, invalid);
  const outcome = yield* replacePreferences(facts, false, update);
  if (outcome.state === 'failed') {
    const warnings = [storeWarning('written', outcome.cause)];
    return refuse(ERRORS.internal, `The concerns ${notStored(outcome)}`, undefined, () => [{ warnings }]);
  }
  if (outcome.state === 'ended')
    return refuse(ERRORS.invalidRequest, 'The session has ended. Initialize a new one.');
  const { after, visible } = outcome;
  const warnings = [...update.warnings, ...after.warnings];
  return reply({ concerns: describeConfiguration(after), warnings, visible }, () => [
    describeConcerns(after, warnings),
  ]);
}

/**
 * Replaces the preferences of a session and, if they are kept per caller, those of the caller. Values that a model has set
 * are removed where the person decides now.
 *
 * @param facts a request of the session
 * @param isSwitch whether a person switched
 * @param update the new preferences, resolved without any other source
 * @param decided the concerns that the person decides about
 * @param besides what is kept beside them: the names of tools that the person switched one by one, values that stay lost
 * @returns what became of them
 * @example
 * yield* replacePreferences(facts, false, resolveConfiguration(policy, [{ from: 'update', concerns }]));
 */
export const replacePreferences = (
  facts: RequestFacts,
  isSwitch: boolean,
  update: Configuration,
  decided: Decided = 'all',
  besides: HostConcerns = {},
): ResponseSteps<Changed> =>
  changeKept(facts, isSwitch, (before) => {
    const { caller, session } = facts.keeps;
    const concerns = { ...earlierValues(before, update), ...describeAccepted(update), ...besides };
    const earlier = recordOf(before.session);
    const change: SessionRecord = {
      concerns,
      ...withoutModel(facts.policy, earlier, decided),
      ...(caller ? { acted: true } : {}),
      ...(earlier.warnings === undefined ? {} : { warnings: [] }),
    };
    return { ...(caller ? { principal: { concerns } } : {}), ...(session ? { session: change } : {}) };
  });

/** @returns the earlier values of concerns whose new value was not accepted: a typing error must not remove them */
const earlierValues = (before: StoredPreferences, { notAccepted }: Configuration): HostConcerns =>
  Object.fromEntries(Object.entries(strongestOf(before)).filter(([name]) => notAccepted.includes(name)));
