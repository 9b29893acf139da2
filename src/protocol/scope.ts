import {
  type ConcernWarning,
  type Configuration,
  describeConfiguration,
  type InvalidValue,
  resolveConfiguration,
} from '../engine/configuration.js';
import type { Policy } from '../engine/policy.js';
import type { SessionRead } from '../session/store.js';
import { type HttpRequestInfo, readCarriers } from './carriers.js';
import type { AskServer, Catalogs } from './catalogs.js';
import type { Preferences } from './preferences.js';
import { ERRORS, failure, type Message, type Request, type RequestId } from './wire.js';

/** What a transport knows of a client's message beside the message itself. */
export interface MessageContext {
  readonly http?: HttpRequestInfo | undefined;
  /** Claims of the caller that were verified: the only source of operator concerns. */
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
}

/** What happened to one request of a client, for a log: no arguments, no results. */
export interface GateReport {
  readonly method: string;
  /** What is in effect, in the words of the policy. */
  readonly concerns?: object;
  readonly shown?: number;
  readonly total?: number;
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
  /** Sends requests of the gate's own to the server, on behalf of a message of the client. */
  ask(context: C): AskServer;
  /** Sends the client a message of the gate's own. */
  reply(message: Message, relatedTo?: RequestId): void;
}

/**
 * Puts together what is in effect for a message.
 *
 * @param policy the policy
 * @param request the request whose `_meta` counts, if it does
 * @param context what the transport knows
 * @param session what is kept of the session
 * @returns the configuration, with the warnings of all carriers
 */
export function configure(
  policy: Policy,
  request: Request | undefined,
  context: MessageContext,
  session: SessionRead,
): Configuration {
  const kept = session.state === 'live' ? session.record.concerns : undefined;
  const { carriers, warnings } = readCarriers(request, kept, context.http);
  const configuration = resolveConfiguration(policy, carriers, { claims: context.claims });
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
  scope.report({ method: request.method, error: code });
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

/** Reports what a request was shown, or what came of its concerns. */
export function reportConcerns<C extends MessageContext>(
  scope: GateScope<C>,
  method: string,
  configuration: Configuration,
  warnings: readonly ConcernWarning[],
  counts: { readonly shown?: number; readonly total?: number } = {},
): void {
  scope.report({ method, concerns: describeConfiguration(scope.policy, configuration), ...counts, warnings });
}

/** A warning that says which half of the store failed; the reason itself may name hosts and keys. */
export function storeWarning(what: 'read' | 'written', cause: unknown): ConcernWarning {
  const reason = cause instanceof Error ? cause.name : 'unknown';
  return { code: 'store-unavailable', message: `The session store could not be ${what} (${reason}).` };
}
