import type { Configuration } from '../../engine/configuration.js';
import { refusalOf } from '../messages/refusals.js';
import { ERRORS, type Request, read } from '../messages/wire.js';
import { canChange } from '../request/can-change.js';
import { Exchange, type Substitute } from '../request/exchange.js';
import { describeConcerns, NO_REPORT } from '../request/report.js';
import { readConfiguration, withConfiguration } from '../request/with-configuration.js';
import { explainTarget } from './explain-target.js';
import { KINDS_OF, type RequestTarget, targetsOf } from './targets.js';
import { decisionOnKnownUri, isShown, isShownByEntry, type Lists } from './visibility.js';
import { withLists } from './with-lists.js';

const NOT_CHECKED =
  'Access to this primitive could not be checked, because the server did not list its primitives. Try again.';

/**
 * Checks access to the primitive that a request names. Under `enforce`, if it is hidden, the server is asked for a name
 * that does not exist, and the original name is put back into the response. So the client gets the server's own answer
 * to an unknown name, in the server's own words. Under `shadow`, the request passes, and the report says what `enforce`
 * would do.
 *
 * @param exchange the request
 * @returns a promise if the session store must be waited for
 */
export function judgeAccess(exchange: Exchange): void | Promise<void> {
  if (exchange.isEnforced) return withConfiguration(exchange, () => checkTarget(exchange, refuseTarget));
  if (exchange.policy.settings.enforcement === 'shadow') return judgeInShadow(exchange);
  exchange.report();
  exchange.pass();
}

/** The request waits for the check, as under `enforce`: a server of one request ends with its answer. */
function judgeInShadow(exchange: Exchange): void | Promise<void> {
  return readConfiguration(exchange, () => {
    const isInvalid = exchange.configuration.invalid.length > 0;
    if (isInvalid || refusalOf(exchange.request, exchange.route) !== undefined) {
      return passTarget(exchange, true);
    }
    checkTarget(exchange, (_exchange, target, lists) => {
      if (lists === undefined) return passTarget(exchange, true);
      reportDecision(exchange, lists, target, true);
      exchange.pass();
    });
  });
}

function passTarget(exchange: Exchange, isRefused = false): void {
  exchange.report(refusedOf(exchange, isRefused));
  exchange.pass();
}

const refusedOf = ({ request }: Exchange, isRefused: boolean): { readonly refused?: string } =>
  isRefused ? { refused: request.method } : {};

/** Passes a request whose target is shown. Otherwise calls `refuse` with the lists, as far as they could be read. */
function checkTarget(
  exchange: Exchange,
  refuse: (exchange: Exchange, target: RequestTarget, lists: Lists | undefined) => void,
): void {
  const { configuration } = exchange;
  // If nothing can be hidden, there is nothing to check.
  if (!canChange(configuration)) return passTarget(exchange);
  const targets = targetsOf(exchange.request);
  const [target] = targets;
  // A request without a target names no primitive.
  if (target === undefined) return passTarget(exchange);
  const passShown = (lists: Lists): void => {
    reportDecision(exchange, lists, target, false);
    exchange.pass();
  };
  if (isShownByEntry(target, configuration)) return passShown({});
  let waits = false;
  let isChecked = false;
  withLists(exchange, { kinds: KINDS_OF[target.type], targets }, (lists, enough) => {
    isChecked = true;
    if (waits && !exchange.resume()) return;
    if (enough && isShown(lists, target, configuration)) return passShown(lists);
    refuse(exchange, target, enough ? lists : undefined);
  });
  if (isChecked) return;
  waits = true;
  exchange.hold();
}

function refuseTarget(exchange: Exchange, target: RequestTarget, lists: Lists | undefined): void {
  const { configuration, request } = exchange;
  // The same answer for every name: a different one would reveal the hidden names.
  if (lists === undefined) return exchange.refuse(ERRORS.internal, NOT_CHECKED);
  reportDecision(exchange, lists, target, true);
  const { name, sent, original, free } = substituteFor(lists, target, configuration);
  if (!free) {
    // Both SDKs use this code for an unknown resource.
    return exchange.refuse(ERRORS.invalidParams, 'Resource not found', { uri: target.name });
  }
  exchange.substitute = { name, sent, original };
  exchange.pass(target.withName(request.params ?? {}, name));
}

/** Reports why the target is shown or hidden. */
function reportDecision(exchange: Exchange, lists: Lists, target: RequestTarget, isHidden: boolean): void {
  if (exchange.connection.report === NO_REPORT) return;
  const { configuration } = exchange;
  const { decision, isListed } = explainTarget(lists, target, configuration, isHidden) ?? {};
  const told = describeConcerns(configuration, []);
  const context = isListed === true ? { listedName: target.name } : {};
  const refused = refusedOf(exchange, isHidden);
  exchange.report({ ...told, ...refused, ...(decision === undefined ? {} : { decision }) }, context);
}

/**
 * Answers a probe: an HTTP handler that acts before the server's transport asks which names of a request to replace.
 * The probe's method is known to this process only.
 *
 * @param exchange the probe; `params.request` is the request to check
 * @returns a promise if the session store must be waited for
 */
export function answerProbe(exchange: Exchange): void | Promise<void> {
  const { params } = exchange.request;
  const original = read(params, 'request') as Request;
  const checked = new Exchange(
    exchange.connection,
    { ...original, params: { ...original.params, _meta: params?._meta } },
    exchange.sender,
  );
  return readConfiguration(checked, () => {
    const { configuration } = checked;
    const targets = targetsOf(checked.request);
    const areShown = targets.every((target) => isShownByEntry(target, configuration));
    if (areShown || !canChange(configuration)) return exchange.reply({ substitutes: [] });
    const kinds = [...new Set(targets.flatMap(({ type }) => KINDS_OF[type]))];
    withLists(checked, { kinds, targets }, (lists, enough) => {
      if (!enough) return exchange.refuse(ERRORS.internal, NOT_CHECKED);
      const substitutes = targets.flatMap((target, index) => {
        if (isShown(lists, target, configuration)) return [];
        // If the name is not free, the gate refuses the request when it arrives.
        const { name, sent, original } = substituteFor(lists, target, configuration);
        return [{ index, name, sent, original }];
      });
      exchange.reply({ substitutes });
    });
  });
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
