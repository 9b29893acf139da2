import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../../engine/configuration.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import type { HostConcerns, SessionRead, SessionRecord } from '../../session/store.js';
import type { GateScope } from '../lists/gate-scope.js';
import {
  answer,
  CAPABILITIES,
  type Capability,
  ERRORS,
  EXTENSION_ID,
  eraOf,
  LISTS,
  listChangedMethod,
  type METHODS,
  type Request,
  read,
} from '../messages/wire.js';
import { configure } from '../request/preferences.js';
import { reportConcerns, storeWarning } from '../request/report.js';
import { type MessageContext, refuse, refuseValue } from '../request/request.js';
import { readSession, updateSession } from '../request/session-preferences.js';

/**
 * Answers `updateConcerns`: replaces the host's preferences, and acknowledges them only after they are stored. Before the
 * answer, it announces the lists whose visible part changed, if the server announces changes of these lists.
 *
 * @param scope the gate
 * @param request the request
 * @param context what the transport knows about the request
 */
export async function updateConcerns<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
): Promise<void> {
  const { policy, preferences } = scope;
  const concerns = read(request.params, 'concerns');
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    const message =
      'params.concerns must be an object of concern names and values. Send {} to remove all preferences.';
    return refuse(scope, request, ERRORS.invalidParams, message);
  }
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = update.invalid;
  if (invalid !== undefined) return refuseValue(scope, request, update, invalid);
  const accepted = describeAccepted(update);
  if (eraOf(request) === 'modern') return answerModern(scope, request, context, update, accepted);
  if (preferences.place === 'none') {
    const message =
      'There is no session to keep concerns in. Send them with each request, in _meta, the Mcp-Concerns header or the URL.';
    return refuse(scope, request, ERRORS.invalidRequest, message);
  }

  let session: SessionRead;
  try {
    session = await readSession(preferences);
    const stored = await updateSession(preferences, { concerns: accepted });
    if (stored === 'ended') {
      return refuse(scope, request, ERRORS.invalidRequest, 'The session has ended. Initialize a new one.');
    }
  } catch (cause) {
    scope.report({ method: request.method, era: 'legacy', warnings: [storeWarning('written', cause)] });
    return refuse(
      scope,
      request,
      ERRORS.internal,
      'The concerns could not be stored, so nothing changed. Try again.',
    );
  }

  const record: SessionRecord = session.state === 'live' ? session.record : {};
  const updated: SessionRead = { state: 'live', record: { ...record, concerns: accepted } };
  const before = configure(policy, request, context, { session, meta: false });
  const after = configure(policy, request, context, { session: updated, meta: false });
  const { visible, changed } = await compare(scope, before, after, request, context);
  for (const capability of CAPABILITIES) {
    if (!changed.has(capability) || !record.listChanged?.includes(capability)) continue;
    scope.reply({ jsonrpc: '2.0', method: listChangedMethod(capability) }, request.id);
  }
  const warnings = [...update.warnings, ...after.warnings];
  reportConcerns(scope, { method: request.method, era: 'legacy' }, after, warnings);
  scope.reply(answer(request, { concerns: describeConfiguration(after), warnings, visible }));
}

/**
 * Answers a modern `updateConcerns`, which changes nothing for later requests. The answer contains the configuration that
 * the preferences would give and, in `_meta`, what the host must send with each request from then on.
 */
async function answerModern<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  update: Configuration,
  accepted: HostConcerns,
): Promise<void> {
  const { policy } = update;
  const params = { ...request.params, _meta: { ...(request.params?._meta as object), ...inMeta(accepted) } };
  const after = configure(policy, { ...request, params }, context, {
    session: { state: 'unknown' },
    meta: true,
  });
  const { visible } = await compare(scope, after, after, request, context);
  const warnings = [...update.warnings, ...after.warnings];
  reportConcerns(scope, { method: request.method, era: 'modern' }, after, warnings);
  const result = {
    concerns: describeConfiguration(after),
    warnings,
    visible,
    _meta: inMeta(accepted),
  };
  scope.reply(answer(request, result));
}

const inMeta = (concerns: HostConcerns) => ({ [EXTENSION_ID]: { concerns } });

/**
 * Stores the preferences from `initialize` or `notifications/initialized`. Neither can be answered with an error about
 * preferences, so invalid ones are ignored, and reported as warnings.
 *
 * @param scope the gate
 * @param method the method of the message
 * @param concerns the preferences; `undefined` if the message has none
 * @param change what else to store for the session
 * @returns a promise if the session store must be waited for
 */
export function storePreferences<C extends MessageContext>(
  scope: GateScope<C>,
  method: typeof METHODS.initialize | typeof METHODS.initialized,
  concerns: unknown,
  change: SessionRecord,
): Promise<void> | undefined {
  const sent = resolveConfiguration(scope.policy, [{ from: 'session', concerns }]);
  const warnings = [...sent.warnings];
  const accepted = describeAccepted(sent);
  const hasPreferences = Object.keys(accepted).length > 0;
  const report = () => reportConcerns(scope, { method, era: 'legacy' }, sent, warnings);

  const record = hasPreferences ? { ...change, concerns: accepted } : change;
  const changes = Object.keys(record).length > 0;
  const stored = changes ? updateSession(scope.preferences, record) : 'stored';
  if (stored instanceof Promise) {
    return stored.catch((cause) => void warnings.push(storeWarning('written', cause))).then(report);
  }
  if (stored === 'nowhere' && hasPreferences) {
    const message =
      'There is no session to keep concerns in. Hosts can send them in _meta, the Mcp-Concerns header or the URL.';
    warnings.push({ code: 'no-session', message });
  }
  report();
  return undefined;
}

/** Returns how many primitives of each list are visible after an update, and which lists changed. */
async function compare<C extends MessageContext>(
  scope: GateScope<C>,
  before: Configuration,
  after: Configuration,
  request: Request,
  context: C,
): Promise<{ visible: Partial<Record<Kind, number>>; changed: Set<Capability> }> {
  const visible: Partial<Record<Kind, number>> = {};
  const changed = new Set<Capability>();
  const compareOne = (kind: Kind): Promise<void> =>
    new Promise((resolve) => {
      scope.catalog.get(kind, after.policy, scope.ask(request, context), (outcome) => {
        // A list that the server does not have, or that is too long to be cached, cannot be compared.
        if (outcome.state === 'complete') {
          const { bound } = outcome.list;
          const [old, now] = [select(bound, before).kept, select(bound, after).kept];
          visible[kind] = now.length;
          if (old.length !== now.length || old.some((item, position) => item !== now[position])) {
            changed.add(LISTS[kind].capability);
          }
        }
        resolve();
      });
    });
  for (const kind of KINDS) await compareOne(kind);
  return { visible, changed };
}
