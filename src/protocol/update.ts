import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../engine/configuration.js';
import { KINDS, type Kind } from '../engine/policy.js';
import { select } from '../engine/select.js';
import type { SessionRead, SessionRecord } from '../session/store.js';
import { readPreferences, updatePreferences } from './preferences.js';
import {
  configure,
  type GateScope,
  type MessageContext,
  refuse,
  refuseValue,
  reportConcerns,
  storeWarning,
} from './scope.js';
import {
  answer,
  CAPABILITIES,
  type Capability,
  ERRORS,
  LISTS,
  listChangedMethod,
  type METHODS,
  type Request,
  read,
} from './wire.js';

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
  if (preferences.place === 'none') {
    const message =
      'There is no session to keep concerns in; send them with each request in _meta, the Mcp-Concerns header or the URL.';
    return refuse(scope, request, ERRORS.invalidRequest, message);
  }

  const accepted = describeAccepted(policy, asked);
  let session: SessionRead;
  try {
    session = await readPreferences(preferences);
    const stored = await updatePreferences(preferences, { concerns: accepted });
    if (stored === 'ended') {
      return refuse(scope, request, ERRORS.invalidRequest, 'The session was ended; initialize a new one.');
    }
  } catch (cause) {
    scope.report({ method: request.method, warnings: [storeWarning('written', cause)] });
    return refuse(
      scope,
      request,
      ERRORS.internal,
      'The concerns could not be stored, so nothing changed; try again.',
    );
  }

  const record: SessionRecord = session.state === 'live' ? session.record : {};
  const before = configure(policy, undefined, context, session);
  const after = configure(policy, undefined, context, {
    state: 'live',
    record: { ...record, concerns: accepted },
  });
  const { visible, changed } = await compare(scope, before, after, context);
  for (const capability of CAPABILITIES) {
    if (!changed.has(capability) || !record.listChanged?.includes(capability)) continue;
    scope.reply({ jsonrpc: '2.0', method: listChangedMethod(capability) }, request.id);
  }
  const warnings = [...asked.warnings, ...after.warnings];
  reportConcerns(scope, request.method, after, warnings);
  scope.reply(answer(request.id, { concerns: describeConfiguration(policy, after), warnings, visible }));
}

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
  const report = () => reportConcerns(scope, method, asked, warnings);

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
  context: C,
): Promise<{ visible: Partial<Record<Kind, number>>; changed: Set<Capability> }> {
  const visible: Partial<Record<Kind, number>> = {};
  const changed = new Set<Capability>();
  const compareOne = (kind: Kind): Promise<void> =>
    new Promise((resolve) => {
      scope.catalogs.get(kind, scope.ask(context), (outcome) => {
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
