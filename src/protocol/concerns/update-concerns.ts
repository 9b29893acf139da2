import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../../engine/configuration.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import type { HostConcerns, SessionRead, SessionRecord } from '../../session/store.js';
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
import { readPreferences, updatePreferences } from '../request/preferences.js';
import {
  configure,
  type GateScope,
  type MessageContext,
  refuse,
  refuseValue,
  reportConcerns,
  storeWarning,
} from '../request/request.js';

/**
 * Answers `updateConcerns`: replaces what the host asked for, and acknowledges only what is stored. Lists whose visible
 * set changed are announced before the answer, if the server announces changes of that list at all.
 *
 * @param scope the gate
 * @param request the request
 * @param context what the transport knows of it
 */
export async function updateConcerns<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
): Promise<void> {
  const { policy, preferences } = scope;
  const concerns = read(request.params, 'concerns');
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    const message = 'params.concerns must be an object of concern names and values, {} to ask for nothing.';
    return refuse(scope, request, ERRORS.invalidParams, message);
  }
  const asked = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = asked.invalid;
  if (invalid !== undefined) return refuseValue(scope, request, invalid);
  const accepted = describeAccepted(policy, asked);
  const modern = eraOf(request) === 'modern';
  if (modern) return answerModern(scope, request, context, asked, accepted);
  if (preferences.place === 'none') {
    const message =
      'There is no session to keep concerns in; send them with each request in _meta, the Mcp-Concerns header or the URL.';
    return refuse(scope, request, ERRORS.invalidRequest, message);
  }

  let session: SessionRead;
  try {
    session = await readPreferences(preferences);
    const stored = await updatePreferences(preferences, { concerns: accepted });
    if (stored === 'ended') {
      return refuse(scope, request, ERRORS.invalidRequest, 'The session was ended; initialize a new one.');
    }
  } catch (cause) {
    scope.report({ method: request.method, era: 'legacy', warnings: [storeWarning('written', cause)] });
    return refuse(
      scope,
      request,
      ERRORS.internal,
      'The concerns could not be stored, so nothing changed; try again.',
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
  const warnings = [...asked.warnings, ...after.warnings];
  reportConcerns(scope, { method: request.method, era: 'legacy' }, after, warnings);
  scope.reply(answer(request, { concerns: describeConfiguration(policy, after), warnings, visible }));
}

/**
 * A modern request changes nothing for later ones: the answer says what would be in effect, and in `_meta` what to send
 * along with each request from now on.
 */
async function answerModern<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  asked: Configuration,
  accepted: HostConcerns,
): Promise<void> {
  const { policy } = scope;
  const params = { ...request.params, _meta: { ...(request.params?._meta as object), ...inMeta(accepted) } };
  const after = configure(policy, { ...request, params }, context, {
    session: { state: 'unknown' },
    meta: true,
  });
  const { visible } = await compare(scope, after, after, request, context);
  const warnings = [...asked.warnings, ...after.warnings];
  reportConcerns(scope, { method: request.method, era: 'modern' }, after, warnings);
  const result = {
    concerns: describeConfiguration(policy, after),
    warnings,
    visible,
    _meta: inMeta(accepted),
  };
  scope.reply(answer(request, result));
}

const inMeta = (concerns: HostConcerns) => ({ [EXTENSION_ID]: { concerns } });

/**
 * Keeps what a host asked for in `initialize` or `initialized`, where it cannot be answered: what is wrong with it is
 * ignored, and reported.
 *
 * @param scope the gate
 * @param method the message that carried it
 * @param concerns what the host asked for; nothing, if it did not
 * @param change what else is to be kept
 * @returns a promise where the store has to be waited for
 */
export function keepConcerns<C extends MessageContext>(
  scope: GateScope<C>,
  method: typeof METHODS.initialize | typeof METHODS.initialized,
  concerns: unknown,
  change: SessionRecord,
): Promise<void> | undefined {
  const asked = resolveConfiguration(scope.policy, [{ from: 'session', concerns }]);
  const warnings = [...asked.warnings];
  const accepted = describeAccepted(scope.policy, asked);
  const speaks = Object.keys(accepted).length > 0;
  const report = () => reportConcerns(scope, { method, era: 'legacy' }, asked, warnings);

  const record = speaks ? { ...change, concerns: accepted } : change;
  const changes = Object.keys(record).length > 0;
  const kept = changes ? updatePreferences(scope.preferences, record) : 'stored';
  if (kept instanceof Promise) {
    return kept.catch((cause) => void warnings.push(storeWarning('written', cause))).then(report);
  }
  if (kept === 'nowhere' && speaks) {
    const message =
      'There is no session to keep concerns in; a host can send them in _meta, a header or the URL.';
    warnings.push({ code: 'no-session', message });
  }
  report();
  return undefined;
}

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
      scope.catalogs.get(kind, scope.ask(request, context), (outcome) => {
        // A list that the server does not have, or that is too long to be held, cannot be compared.
        if (outcome.state === 'complete') {
          const { bound } = outcome.catalog;
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
