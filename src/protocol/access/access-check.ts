import type { Configuration } from '../../engine/configuration.js';
import { decide } from '../../engine/evaluate.js';
import { mapPrimitive } from '../../engine/mapping.js';
import { canChange } from '../lists/filter-list.js';
import { answer, ERRORS, eraOf, type Request, read } from '../messages/wire.js';
import { configure, type GateScope, type MessageContext, refuse, refuseValue } from '../request/request.js';
import { withSession } from '../request/session-of.js';
import { KINDS_OF, type Target, targetsOf } from './targets.js';
import { type Lists, type Visibility, visibilityOfName, visibilityOfUri } from './visibility.js';
import { withLists } from './with-lists.js';

/** A request that reaches for a primitive, under `enforce`; its answer may name others. */
export interface ExpectedReach {
  readonly as: 'reach';
  readonly request: Request;
  readonly configuration: Configuration;
  readonly substitute?: Substitute;
}

/** What the server gets instead of a hidden name. */
export interface Substitute {
  readonly sent: string;
  readonly asked: string;
}

export interface GuardPorts {
  pass(request: Request, expected: ExpectedReach): void;
  wait(): { done(): boolean };
}

/** MCP, "Resources", error handling. */
const RESOURCE_NOT_FOUND = -32002;
const NOT_JUDGED =
  'What this request may reach could not be judged, since the server did not list it; try again.';

/**
 * Judges a request that reaches for a primitive, under `enforce`. For a hidden one the server is asked for a name that
 * does not exist, and the name that was asked for is put back into its answer: whatever the server says of unknown
 * names, in whatever words, is what the client gets.
 *
 * @param scope the gate
 * @param request the request
 * @param context what the transport knows of it
 * @param ports how it goes on
 * @returns a promise where the store has to be waited for
 */
export function guardReach<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  ports: GuardPorts,
): void | Promise<void> {
  scope.report({ method: request.method, era: eraOf(request) });
  return withSession(scope, request, (session) => {
    const configuration = configure(scope.policy, request, context, { session, meta: true });
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(scope, request, invalid);
    const targets = targetsOf(request);
    const [target] = targets;
    const expected: ExpectedReach = { as: 'reach', request, configuration };
    // Without a name the server refuses the request by itself; and where nothing can be hidden, lists tell nothing.
    if (target === undefined || !canChange(scope.policy, configuration)) return ports.pass(request, expected);

    const waiting = ports.wait();
    withLists(scope, request, context, { kinds: KINDS_OF[target.by], targets }, (lists, enough) => {
      if (!waiting.done()) return;
      // Whatever it is: a name that is hidden all the same must not be answered in another way.
      if (!enough) return refuse(scope, request, ERRORS.internal, NOT_JUDGED);
      if (visibilityOf(scope, lists, target, configuration) !== 'hidden') {
        return ports.pass(request, expected);
      }
      const substitute = substituteFor(scope, lists, target, configuration);
      if (!substitute.free) {
        return refuse(scope, request, RESOURCE_NOT_FOUND, 'Resource not found', { uri: target.name });
      }
      const { name, sent, asked } = substitute;
      const params = target.put(request.params ?? {}, name);
      ports.pass({ ...request, params }, { ...expected, substitute: { sent, asked } });
    });
  });
}

/**
 * Answers the question of a mount that has to know before the server's transport sees a request: what is to be asked
 * instead? The question comes under a method that only this process knows.
 *
 * @param scope the gate
 * @param request the question, `params.reach` is the request in question
 * @param context what the transport knows of it
 * @returns a promise where the store has to be waited for
 */
export function answerProbe<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
): void | Promise<void> {
  const asked = read(request.params, 'reach') as Request;
  const reach = { ...asked, params: { ...asked.params, _meta: request.params?._meta } };
  return withSession(scope, request, (session) => {
    const configuration = configure(scope.policy, reach, context, { session, meta: true });
    const targets = targetsOf(reach);
    const reply = (substitutes: readonly object[]): void => scope.reply(answer(request, { substitutes }));
    if (!canChange(scope.policy, configuration)) return reply([]);
    const kinds = [...new Set(targets.flatMap(({ by }) => KINDS_OF[by]))];
    withLists(scope, request, context, { kinds, targets }, (lists, enough) => {
      if (!enough) return refuse(scope, request, ERRORS.internal, NOT_JUDGED);
      const substitutes = targets.flatMap((target, index) => {
        if (visibilityOf(scope, lists, target, configuration) !== 'hidden') return [];
        // One that is not free the gate refuses when it comes.
        const { name, sent, asked } = substituteFor(scope, lists, target, configuration);
        return [{ index, name, sent, asked }];
      });
      reply(substitutes);
    });
  });
}

/**
 * Finds a name that does not exist. A URI stays one, of its own scheme and place where that is not hidden as well: the
 * server is to refuse it for not being there, and not for its form. Its last part alone is put back, since a server may
 * write the rest in another way.
 *
 * @returns the name; not a free one, if hidden templates cover every URI, and would answer any of them
 */
function substituteFor<C extends MessageContext>(
  { policy }: GateScope<C>,
  lists: Lists,
  { by, name }: Target,
  configuration: Configuration,
): Substitution {
  const sent = `unknown-${crypto.randomUUID()}`;
  if (by !== 'uri') return { name: sent, sent, asked: name, free: true };
  const isFree = (uri: string): boolean => visibilityOfUri(policy, lists, uri, configuration) !== 'hidden';
  const [, place, last] = /^([^?#]*\/)(.*)$/s.exec(name) ?? [];
  const sibling = `${place}${sent}`;
  if (last && URL.canParse(sibling) && isFree(sibling))
    return { name: sibling, sent, asked: last, free: true };
  const apart = `unknown:${sent}`;
  return { name: apart, sent: apart, asked: name, free: isFree(apart) };
}

interface Substitution extends Substitute {
  /** The whole name, in which `sent` stands. */
  readonly name: string;
  readonly free: boolean;
}

function visibilityOf<C extends MessageContext>(
  { policy }: GateScope<C>,
  lists: Lists,
  { by, name }: Target,
  configuration: Configuration,
): Visibility {
  if (by === 'uri') {
    // completion/complete names a template by itself.
    const asTemplate = visibilityOfName(lists.resourceTemplates, name, configuration);
    return asTemplate === 'unknown' ? visibilityOfUri(policy, lists, name, configuration) : asTemplate;
  }
  const kind = by === 'tool' ? 'tools' : 'prompts';
  const listed = visibilityOfName(lists[kind], name, configuration);
  if (listed !== 'unknown') return listed;
  // What a server does not list it may answer all the same: then the policy's own word counts.
  const mapping = mapPrimitive(policy, kind, { name });
  return mapping.mapped && decide(policy, mapping, configuration).effect === 'hide' ? 'hidden' : 'unknown';
}
