import type { Configuration } from '../../engine/configuration.js';
import { ERRORS, type Request, read } from '../../wire/messages.js';
import { canChange } from '../request/configure.js';
import {
  type Deciding,
  type Lists,
  listsFor,
  type Outcome,
  pass,
  preferences,
  refuse,
  reply,
  type Tell,
} from '../request/decision.js';
import type { Facts, RequestFacts, Substitute } from '../request/facts.js';
import { describeConcerns } from '../request/report.js';
import { refusalOf } from '../table/routing.js';
import { explainTarget } from './explain-target.js';
import { KINDS_OF, type RequestTarget, targetsOf } from './targets.js';
import { decisionOnKnownUri, isShown, isShownByEntry } from './visibility.js';

const NOT_CHECKED =
  'Access to this primitive could not be checked, because the server did not list its primitives. Try again.';

/**
 * Checks access to the primitive that a request names. Under `enforce`, if it is hidden, the server is asked for a name
 * that does not exist, and the original name is put back into the response. So the client gets the server's own answer
 * to an unknown name, in the server's own words. Under `shadow`, the request passes, and the report says what `enforce`
 * would do. It waits for the check, as under `enforce`: a server of one request ends with its answer.
 */
export function* judgeAccess(asked: RequestFacts): Deciding<Outcome> {
  const { enforcement } = asked.policy.settings;
  if (enforcement === 'advisory') return pass(asked, told());
  const isShadow = enforcement === 'shadow';
  const facts = yield* preferences(isShadow ? 'ignore' : 'refuse');
  const { configuration, request } = facts;
  const isInvalid = configuration.invalid.length > 0 || refusalOf(request, facts.route) !== undefined;
  if (isShadow && isInvalid) return pass(facts, told(request.method));
  const targets = targetsOf(request);
  const [target] = targets;
  // If nothing can be hidden, there is nothing to check. A request without a target names no primitive.
  if (!canChange(configuration) || target === undefined) return pass(facts, told());
  if (isShownByEntry(target, configuration)) return pass(facts, explained(facts, {}, target, false));
  const { lists, enough } = yield* listsFor({ kinds: KINDS_OF[target.type], targets });
  if (enough && isShown(lists, target, configuration)) {
    return pass(facts, explained(facts, lists, target, false));
  }
  if (isShadow) return pass(facts, enough ? explained(facts, lists, target, true) : told(request.method));
  // The same answer for every name: a different one would reveal the hidden names.
  return enough ? askForUnknown(facts, lists, target) : refuse(ERRORS.internal, NOT_CHECKED);
}

/** Asks the server for a name that does not exist, in the place of a hidden one. */
function askForUnknown(facts: Facts, lists: Lists, target: RequestTarget): Outcome {
  const { free, ...substitute } = substituteFor(lists, target, facts.configuration);
  const tell = explained(facts, lists, target, true);
  if (free) {
    const params = target.withName(facts.request.params ?? {}, substitute.name);
    return { to: 'server', params, substitute, tell };
  }
  const code = ERRORS.invalidParams;
  // Both SDKs use this code for an unknown resource.
  return refuse(code, 'Resource not found', { uri: target.name }, () => {
    const [report, context = {}] = tell();
    return [{ ...report, error: code }, context];
  });
}

const told =
  (refused?: string): Tell =>
  () => [refused === undefined ? {} : { refused }];

/** Tells why the target is shown or hidden. */
function explained(
  { configuration, request }: Facts,
  lists: Lists,
  target: RequestTarget,
  isHidden: boolean,
): Tell {
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

/** Returns the request that a probe asks about, with the `_meta` of the probe, and its id: errors answer the probe. */
export function probedRequest({ id, params }: Request): Request {
  const original = read(params, 'request') as Request;
  return { ...original, id, params: { ...original.params, _meta: params?._meta } };
}

/**
 * Answers a probe: an HTTP handler that acts before the server's transport asks which names of a request to replace.
 * The probe's method is known to this process only.
 */
export function* judgeProbe(): Deciding<Outcome> {
  const { configuration, request } = yield* preferences('ignore');
  const targets = targetsOf(request);
  const areShown = targets.every((target) => isShownByEntry(target, configuration));
  if (areShown || !canChange(configuration)) return reply({ substitutes: [] });
  const kinds = [...new Set(targets.flatMap(({ type }) => KINDS_OF[type]))];
  const { lists, enough } = yield* listsFor({ kinds, targets });
  if (!enough) return refuse(ERRORS.internal, NOT_CHECKED);
  const substitutes = targets.flatMap((target, index) => {
    if (isShown(lists, target, configuration)) return [];
    // If the name is not free, the gate refuses the request when it arrives.
    const { free: _free, ...substitute } = substituteFor(lists, target, configuration);
    return [{ index, ...substitute }];
  });
  return reply({ substitutes });
}

/**
 * Returns a name that does not exist. A URI is replaced by a sibling URI if that is not hidden too, so that the server
 * refuses it because it does not exist and not because of its form. Only its last segment is put back into the response,
 * since a server may write the rest in another form.
 */
function substituteFor(
  lists: Lists,
  { type, name }: RequestTarget,
  configuration: Configuration,
): Substitution {
  const sent = `unknown-${crypto.randomUUID()}`;
  if (type !== 'uri') return { name: sent, sent, original: name, free: true };
  const isFree = (uri: string): boolean => decisionOnKnownUri(lists, uri, configuration) !== false;
  const [, parent, last] = /^([^?#]*\/)(.*)$/s.exec(name) ?? [];
  const sibling = `${parent}${sent}`;
  if (last && URL.canParse(sibling) && isFree(sibling))
    return { name: sibling, sent, original: last, free: true };
  const elsewhere = `unknown:${sent}`;
  return { name: elsewhere, sent: elsewhere, original: name, free: isFree(elsewhere) };
}

interface Substitution extends Substitute {
  /** False if hidden templates match every URI: the server would answer any of them. */
  readonly free: boolean;
}
