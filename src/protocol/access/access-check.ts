import type { Configuration } from '../../engine/configuration.js';
import { canChange } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import { answer, ERRORS, eraOf, type Request, read } from '../messages/wire.js';
import { readConfiguration, withConfiguration } from '../request/preferences.js';
import { type MessageContext, refuse } from '../request/request.js';
import { KINDS_OF, type RequestTarget, targetsOf } from './targets.js';
import {
  type Lists,
  type Visibility,
  visibilityOfKnownUri,
  visibilityOfName,
  visibilityOfUnlisted,
  visibilityOfUri,
} from './visibility.js';
import { withLists } from './with-lists.js';

/** A request that names a primitive, under `enforce`. Its response may name other primitives. */
export interface ExpectedAccess {
  readonly as: 'access';
  readonly request: Request;
  readonly configuration: Configuration;
  readonly substitute?: Substitute;
}

/** The text that the server receives in place of a hidden name, and the text that it replaces. */
export interface Substitute {
  /** The whole name that the server receives. It contains `sent`. */
  readonly name: string;
  readonly sent: string;
  readonly original: string;
}

/** How the gate continues with a request after the access check. */
export interface AccessPorts {
  /** Lets the server answer. */
  pass(request: Request, expected: ExpectedAccess): void;
  /** Lets the gate answer later. `done` returns false if the client cancelled the request before. */
  wait(): { done(): boolean };
}

const NOT_CHECKED =
  'Access to this primitive could not be checked, because the server did not list its primitives. Try again.';

/**
 * Checks access to the primitive that a request names, under `enforce`. If it is hidden, the server is asked for a name
 * that does not exist, and the original name is put back into the response. So the client gets the server's own answer
 * to an unknown name, in the server's own words.
 *
 * @param scope the gate
 * @param request the request
 * @param context what the transport knows about the request
 * @param ports how to continue
 * @returns a promise if the session store must be waited for
 */
export function checkAccess<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  ports: AccessPorts,
): void | Promise<void> {
  scope.report({ method: request.method, era: eraOf(request) });
  return withConfiguration(scope, request, context, (configuration) => {
    const targets = targetsOf(request);
    const [target] = targets;
    const expected: ExpectedAccess = { as: 'access', request, configuration };
    // The server itself refuses a request without a name. If nothing can be hidden, there is nothing to check.
    if (target === undefined || !canChange(configuration)) return ports.pass(request, expected);

    const waiting = ports.wait();
    const { policy } = configuration;
    withLists(scope, request, context, { policy, kinds: KINDS_OF[target.type], targets }, (lists, enough) => {
      if (!waiting.done()) return;
      // The same answer for every name: a different one would reveal the hidden names.
      if (!enough) return refuse(scope, request, ERRORS.internal, NOT_CHECKED);
      if (visibilityOf(lists, target, configuration) !== 'hidden') {
        return ports.pass(request, expected);
      }
      const substitute = substituteFor(lists, target, configuration);
      if (!substitute.free) {
        // Both SDKs use this code for an unknown resource.
        return refuse(scope, request, ERRORS.invalidParams, 'Resource not found', { uri: target.name });
      }
      const { name, sent, original } = substitute;
      const params = target.withName(request.params ?? {}, name);
      ports.pass({ ...request, params }, { ...expected, substitute: { name, sent, original } });
    });
  });
}

/**
 * Answers a probe: an HTTP handler that acts before the server's transport asks which names of a request to replace.
 * The probe's method is known to this process only.
 *
 * @param scope the gate
 * @param request the probe; `params.request` is the request to check
 * @param context what the transport knows about the probe
 * @returns a promise if the session store must be waited for
 */
export function answerProbe<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
): void | Promise<void> {
  const original = read(request.params, 'request') as Request;
  const checked = { ...original, params: { ...original.params, _meta: request.params?._meta } };
  return readConfiguration(scope, checked, context, (configuration) => {
    const targets = targetsOf(checked);
    const reply = (substitutes: readonly object[]): void => scope.reply(answer(request, { substitutes }));
    if (!canChange(configuration)) return reply([]);
    const kinds = [...new Set(targets.flatMap(({ type }) => KINDS_OF[type]))];
    const { policy } = configuration;
    withLists(scope, request, context, { policy, kinds, targets }, (lists, enough) => {
      if (!enough) return refuse(scope, request, ERRORS.internal, NOT_CHECKED);
      const substitutes = targets.flatMap((target, index) => {
        if (visibilityOf(lists, target, configuration) !== 'hidden') return [];
        // If the name is not free, the gate refuses the request when it arrives.
        const { name, sent, original } = substituteFor(lists, target, configuration);
        return [{ index, name, sent, original }];
      });
      reply(substitutes);
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
  const isFree = (uri: string): boolean => visibilityOfKnownUri(lists, uri, configuration) !== 'hidden';
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

function visibilityOf(lists: Lists, { type, name }: RequestTarget, configuration: Configuration): Visibility {
  if (type === 'uri') {
    // completion/complete names a template by its text.
    const asTemplate = visibilityOfName(lists.resourceTemplates, name, configuration);
    return asTemplate === 'unknown' ? visibilityOfUri(lists, name, configuration) : asTemplate;
  }
  const kind = type === 'tool' ? 'tools' : 'prompts';
  const listed = visibilityOfName(lists[kind], name, configuration);
  if (listed !== 'unknown') return listed;
  // A server may answer for a primitive that it does not list. Then the policy alone decides.
  return visibilityOfUnlisted(kind, { name }, configuration);
}
