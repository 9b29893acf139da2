import {
  type ConcernWarning,
  type Configuration,
  describeConfiguration,
  describeOrigins,
  type InvalidValue,
  type Origin,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import type { SessionRead } from '../../session/store.js';
import type { Catalogs } from '../lists/catalogs.js';
import type { HiddenReport } from '../lists/filter-list.js';
import type { AskServer } from '../messages/pending-requests.js';
import {
  CLIENT_CAPABILITIES_META,
  ERRORS,
  type Era,
  EXTENSION_ID,
  eraOf,
  failure,
  type Message,
  type Request,
  type RequestId,
  read,
} from '../messages/wire.js';
import { type HttpRequestInfo, readPreferenceSources } from './preference-sources.js';
import type { Preferences } from './preferences.js';

/** What a transport knows of a client's message beside the message itself. */
export interface MessageContext {
  readonly http?: HttpRequestInfo | undefined;
  /** Claims of the caller that were verified: the only source of operator concerns. */
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
}

/** What happened to one request of a client, for a log: no arguments, no results. */
export interface GateReport {
  readonly method: string;
  readonly era: Era;
  /** What is in effect, in the words of the policy. */
  readonly concerns?: object;
  /** Where each concern's value comes from, by its name; concerns are there too that are denied, and have no value. */
  readonly carriers?: Readonly<Record<string, Origin>>;
  readonly shown?: number;
  readonly total?: number;
  /** The counts add up to `total - shown`; it is left out where that is 0. */
  readonly hidden?: HiddenReport;
  readonly warnings?: readonly ConcernWarning[];
  /** The code of a JSON-RPC error that the gate answered. */
  readonly error?: number;
}

/** What the parts of a gate share: one connection of one client to one server. */
export interface GateScope<C extends MessageContext> {
  readonly policy: Policy;
  readonly preferences: Preferences;
  readonly catalogs: Catalogs;
  readonly report: (report: GateReport) => void;
  /** Sends requests of the gate's own to the server, on behalf of one of the client. */
  ask(request: Request, context: C): AskServer;
  /** Sends the client a message of the gate's own. */
  reply(message: Message, relatedTo?: RequestId): void;
}

/** What a message says by itself; the session adds to it in the legacy era. */
export interface Said {
  readonly session: SessionRead;
  /** Whether `_meta` of the request counts: it does on lists and guarded methods, not on `updateConcerns`. */
  readonly meta: boolean;
}

/**
 * Puts together what is in effect for a request. Modern requests carry what sessions held before, and lists must not
 * change there as a side effect of other requests: a session is not looked at.
 *
 * @param policy the policy
 * @param request the request; nothing to ask what is in effect for the session by itself
 * @param context what the transport knows
 * @param said what is kept of the session, and whether the request's own `_meta` counts
 * @returns the configuration, with the warnings of all carriers
 */
export function configure(
  policy: Policy,
  request: Request | undefined,
  context: MessageContext,
  { session, meta }: Said,
): Configuration {
  const modern = eraOf(request) === 'modern';
  const record = session.state === 'live' ? session.record : {};
  const capabilities = modern
    ? read(request?.params, '_meta', CLIENT_CAPABILITIES_META)
    : record.clientCapabilities;
  const kept = modern
    ? ({
        from: 'capabilities',
        concerns: read(capabilities, 'extensions', EXTENSION_ID, 'concerns'),
      } as const)
    : ({ from: 'session', concerns: record.concerns } as const);
  const { carriers, warnings } = readPreferenceSources(meta ? request : undefined, kept, context.http);
  // Under `enforce`, a session that expired must not show what it had hidden.
  const forgotten = !modern && session.state !== 'live' && policy.settings.enforcement === 'enforce';
  const configuration = resolveConfiguration(policy, carriers, {
    claims: context.claims,
    capabilities,
    forgotten,
  });
  return warnings.length === 0
    ? configuration
    : { ...configuration, warnings: [...warnings, ...configuration.warnings] };
}

/** Answers a request with an error of the gate's own. */
export function refuse<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  code: number,
  message: string,
  data?: unknown,
): void {
  scope.report({ method: request.method, era: eraOf(request), error: code });
  scope.reply(failure(request.id, code, message, data));
}

/** Answers a request that carries a value outside `values`, under `invalid: error`. */
export function refuseValue<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  invalid: InvalidValue,
): void {
  const { concern, values, suggestion } = invalid;
  const range =
    'min' in values ? `a number from ${values.min} to ${values.max}` : `one of ${values.join(', ')}`;
  const declared = scope.policy.concerns.find(({ name }) => name === concern);
  const several = declared?.multiple === true ? ', or a list of them' : '';
  const end = suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`;
  refuse(scope, request, ERRORS.invalidParams, `${concern} must be ${range}${several}${end}`, invalid);
}

/** Where nobody reads reports: none is put together. */
export const UNHEARD = (): void => undefined;

/** Reports what a request was shown, or what came of its concerns. */
export function reportConcerns<C extends MessageContext>(
  scope: GateScope<C>,
  { method, era }: { readonly method: string; readonly era: Era },
  configuration: Configuration,
  warnings: readonly ConcernWarning[],
  { hidden = {}, ...counts }: Pick<GateReport, 'shown' | 'total' | 'hidden'> = {},
): void {
  if (scope.report === UNHEARD) return;
  const concerns = describeConfiguration(scope.policy, configuration);
  const carriers = describeOrigins(scope.policy, configuration);
  scope.report({
    method,
    era,
    concerns,
    ...(isEmpty(carriers) ? {} : { carriers }),
    ...counts,
    ...(isEmpty(hidden) ? {} : { hidden }),
    warnings,
  });
}

const isEmpty = (counts: object): boolean => Object.keys(counts).length === 0;

/** A warning that says which half of the store failed; the reason itself may name hosts and keys. */
export function storeWarning(what: 'read' | 'written', cause: unknown): ConcernWarning {
  const reason = cause instanceof Error ? cause.name : 'unknown';
  return { code: 'store-unavailable', message: `The session store could not be ${what} (${reason}).` };
}
