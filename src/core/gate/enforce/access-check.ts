import { listedUnder } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import {
  ACCESS_METHODS,
  type Answer,
  ERRORS,
  type Failure,
  type Request,
  read,
} from '../../wire/messages.js';
import { canChange, isRedacted } from '../request/configure.js';
import {
  alsoTell,
  ask,
  type LazyReport,
  type Lists,
  pass,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
  refuse,
  reply,
} from '../request/decision.js';
import type { Facts, RequestFacts, Substitute } from '../request/facts.js';
import { NOT_CHECKED } from '../request/messages.js';
import { describeConcerns } from '../request/report.js';
import { NO_LISTS } from '../request/whole-list.js';
import {
  KINDS_OF,
  panelRouteOf,
  type RequestTarget,
  refusalOf,
  targetOf,
  withName,
} from '../table/routing.js';
import { boundHeaders, type CallDecision, decideCall, isListedCall } from './calls/call-arguments.js';
import { filterEntries } from './entries.js';
import { explainTarget, scopesFor } from './explain-target.js';
import { insideOfName } from './of-servers.js';
import { redactResponse } from './redaction.js';
import { switchedOff } from './switched-off.js';
import { decisionOnKnownUri, isShown, isShownByEntry, isUriShown } from './visibility.js';

/**
 * Checks access to the primitive that a request names. Under `enforce`, if it is hidden, the server is asked for a name
 * that does not exist, and the original name is put back into the response. So the client gets the server's own answer
 * to an unknown name, in the server's own words. Under `shadow`, the request passes, and the report says what `enforce`
 * would do. It waits for the check, as under `enforce`: a server of one request ends with its answer.
 *
 * Under `lists: stable`, also if nothing is enforced, the client learns why it cannot use what a list shows and the
 * preferences of the session hide.
 */
export function* judgeAccess(asked: RequestFacts): RequestSteps<RequestOutcome> {
  const { enforcement } = asked.policy.settings;
  if (enforcement === 'advisory' && !asked.policy.hasStableLists) return pass(asked, told);
  const isShadow = enforcement === 'shadow';
  const facts = yield* ask({ need: 'preferences', invalid: isShadow ? 'ignore' : 'refuse' });
  const { configuration, request } = facts;
  if (isShadow && (configuration.invalid.length > 0 || refusalOf(request, facts.route) !== undefined))
    return pass(facts, toldRefused(request));
  // If nothing can be hidden, there is nothing to check. A request without a target names no primitive.
  const target = canChange(configuration) ? targetOf(request) : undefined;
  if (target === undefined) return pass(facts, told);
  if (isShownByEntry(target, configuration)) return use(facts, NO_LISTS, target);
  const { lists, enough } = yield* ask({ need: 'lists', kinds: KINDS_OF[target.type], targets: [target] });
  if (enough && isShown(lists, target, configuration)) return use(facts, lists, target);
  if (isShadow) return pass(facts, enough ? explained(facts, lists, target, true) : toldRefused(request));
  // The same answer for every name: a different one would reveal the hidden names.
  if (!enough) return refuse(ERRORS.internal, NOT_CHECKED);
  if (isShown(lists, target, listedUnder(configuration))) return answerSwitchedOff(facts, lists, target);
  return enforcement === 'advisory' ? pass(facts, told) : askForUnknown(facts, lists, target);
}

/** Filters and redacts the answer to an access-checked request, under `enforce`. */
export function* settleAccess(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  if (!isRedacted(facts)) return { message };
  // Hidden entries first: redaction takes their names out, and then nothing tells that they are hidden.
  const filtered = 'error' in message ? message : yield* filterEntries(facts, message);
  return yield* redactResponse(facts, filtered);
}

/** Lets the caller use a visible target in the way that it asks for, or tells it what that takes. */
function use(facts: Facts, lists: Lists, target: RequestTarget): RequestOutcome {
  const { configuration, request } = facts;
  const tell = explained(facts, lists, target, false);
  const call = callOf(request, lists, target, configuration);
  const scopes = scopesOfRequest(lists, target, configuration, call);
  if (scopes.length > 0) {
    const scope = scopes.join(' ');
    return refuse(
      ERRORS.insufficientScope,
      `Insufficient scope: this request requires ${scope}.`,
      { scope },
      tell,
    );
  }
  if (call === undefined) return pass(facts, tell);
  if (call.effect === 'refuse') return refuseArguments(facts, lists, target, call, tell);
  // Written again: the text of the client can have a member twice, and a server may read the other one.
  return { to: 'server', params: { ...request.params, arguments: call.args }, tell };
}

/** What becomes of the arguments of a call; `undefined` of any other request, or if the policy does not check any. */
function callOf(
  { method, params }: Request,
  lists: Lists,
  { type, name }: RequestTarget,
  configuration: Configuration,
): CallDecision | undefined {
  const { enforcement } = configuration.policy.settings;
  if (type !== 'tool' || method !== ACCESS_METHODS.call || enforcement === 'advisory') return undefined;
  return decideCall(lists, name, read(params, 'arguments'), configuration);
}

const scopesOfRequest = (
  lists: Lists,
  target: RequestTarget,
  configuration: Configuration,
  call: CallDecision | undefined,
): readonly string[] => {
  const ofUses = call?.effect === 'pass' ? call.scopes : [];
  return [...new Set([...scopesFor(lists, target, configuration), ...ofUses])];
};

/** Answers a call with arguments that are not left. Under `shadow` it passes, and the report says what `enforce` would do. */
function refuseArguments(
  facts: Facts,
  lists: Lists,
  target: RequestTarget,
  { text, argument, isDeclared, decision }: Extract<CallDecision, { effect: 'refuse' }>,
  tell: LazyReport,
): RequestOutcome {
  const { configuration, policy, request } = facts;
  // A log has no names that a caller chose.
  const reported = isDeclared ? argument : '';
  const told = alsoTell(tell, { refused: request.method, decision, argument: reported });
  if (policy.settings.enforcement === 'shadow') return pass(facts, told);
  // The list shows the use, and only the preferences of the session hide it.
  const listed = listedUnder(configuration);
  const sent = read(request.params, 'arguments');
  if (listed !== configuration && isListedCall(lists, target.name, sent, listed))
    return switchedOff(facts, `${target.name}(${argument})`, decision, told);
  const isCall = request.method === ACCESS_METHODS.call && read(request.params, 'task') === undefined;
  if (!isCall) return refuse(ERRORS.invalidParams, text, undefined, told);
  return reply({ content: [{ type: 'text', text }], isError: true }, alsoTell(told, { isError: true }));
}

/** Asks the server for a name that does not exist, in the place of a hidden one. */
function askForUnknown(facts: Facts, lists: Lists, target: RequestTarget): RequestOutcome {
  const { free, ...substitute } = substituteFor(lists, target, facts.configuration);
  const tell = explained(facts, lists, target, true);
  if (free) {
    const params = withName(facts.request.params ?? {}, target, substitute.name);
    return { to: 'server', params, substitute, tell };
  }
  // Both SDKs use this code for an unknown resource.
  return refuse(ERRORS.invalidParams, 'Resource not found', { uri: target.name }, tell);
}

/** What the client knows from a list is not answered as an unknown name. */
function answerSwitchedOff(facts: Facts, lists: Lists, target: RequestTarget): RequestOutcome {
  const { decision } = explainTarget(lists, target, facts.configuration, true) ?? {};
  return switchedOff(facts, target.name, decision, explained(facts, lists, target, true));
}

const told: LazyReport = () => [{}];
const toldRefused =
  ({ method }: Request): LazyReport =>
  () => [{ refused: method }];

/** Tells why the target is shown or hidden. */
function explained(
  { configuration, request }: Facts,
  lists: Lists,
  target: RequestTarget,
  isHidden: boolean,
): LazyReport {
  return () => {
    const { decision, isListed } = explainTarget(lists, target, configuration, isHidden) ?? {};
    const report = {
      ...describeConcerns(configuration, []),
      ...(isHidden ? { refused: request.method } : {}),
      ...(decision === undefined ? {} : { decision }),
    };
    return [report, isListed === true ? { listedName: target.name } : {}];
  };
}

/**
 * Answers a probe: an HTTP handler that acts before the server's transport asks whether to replace the name in a request.
 * The probe's method is known to this process only.
 */
export function* judgeProbe(): RequestSteps<RequestOutcome> {
  // The `_meta` of the probe is that of the request.
  const { configuration, request } = yield* ask({ need: 'preferences', invalid: 'ignore' });
  const probedRequest = read(request.params, 'request') as Request;
  const target = targetOf(probedRequest);
  // The server never gets the name of a primitive of the gate.
  const isOwn = panelRouteOf(configuration.policy.settings, probedRequest) !== undefined;
  if (target === undefined || isOwn) return reply({});
  const probed = (lists: Lists, isHidden: boolean) => {
    const call = isHidden ? undefined : callOf(probedRequest, lists, target, configuration);
    const scopes = scopesOfRequest(lists, target, configuration, call);
    // If the name is not free, the gate refuses the request when it arrives.
    const { free: _free, ...substitute } = substituteFor(lists, target, configuration);
    const bound = isHidden ? [] : boundHeaders(lists, target, configuration);
    return reply({
      ...(isHidden ? { substitute } : {}),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(bound.length === 0 ? {} : { bound }),
    });
  };
  if (isShownByEntry(target, configuration) || !canChange(configuration)) return probed(NO_LISTS, false);
  const { lists, enough } = yield* ask({ need: 'lists', kinds: KINDS_OF[target.type], targets: [target] });
  if (!enough) return refuse(ERRORS.internal, NOT_CHECKED);
  // What a list shows has a name to tell, and the gate answers the request itself.
  const isKnown = [configuration, listedUnder(configuration)].some((each) => isShown(lists, target, each));
  return probed(lists, !isKnown);
}

/**
 * Returns a name that does not exist. A URI is replaced by a sibling URI if that is not hidden too, so that the server
 * refuses it because it does not exist and not because of its form. Only its last segment is put back into the response,
 * since a server may write the rest in another form.
 *
 * @returns `free` is false if hidden templates match every URI: the server would answer any of them
 */
function substituteFor(
  lists: Lists,
  { type, name }: RequestTarget,
  configuration: Configuration,
): Substitute & { readonly free: boolean } {
  const sent = `unknown-${crypto.randomUUID()}`;
  if (type !== 'uri') return { name: sent, sent, original: name, free: true };
  // A server of which the policy shows no unknown URI must not be told from one that there is not.
  const isFree = (uri: string): boolean =>
    insideOfName(lists, 'resources', uri) !== undefined
      ? isUriShown(lists, uri, configuration)
      : decisionOnKnownUri(lists, uri, configuration) !== false;
  const [, parent, last] = /^([^?#]*\/)(.*)$/s.exec(name) ?? [];
  const sibling = `${parent}${sent}`;
  if (last && URL.canParse(sibling) && isFree(sibling))
    return { name: sibling, sent, original: last, free: true };
  const elsewhere = `unknown:${sent}`;
  return { name: elsewhere, sent: elsewhere, original: name, free: isFree(elsewhere) };
}
