import type { Configuration, InvalidValue } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import { ERRORS, eraOf, failure, type Message, type Request, type RequestId } from '../messages/wire.js';
import type { HttpRequestInfo } from './preference-sources.js';
import type { Reporter } from './report.js';
import type { SessionPreferences } from './session-preferences.js';

/** What a transport knows about a client's message besides the message itself. */
export interface MessageContext {
  readonly http?: HttpRequestInfo | undefined;
  /** Verified claims of the caller: the only source of values for operator concerns. */
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
}

/** What is needed to answer a request of one client: the policy, the client's preferences and a way to reply. */
export interface RequestScope extends Reporter {
  /** The policy that applies now. A request reads it once, when it begins: its configuration then holds the policy. */
  readonly policy: Policy;
  readonly preferences: SessionPreferences;
  /** Sends the client a message that the gate itself made. */
  reply(message: Message, relatedTo?: RequestId): void;
}

/**
 * Answers a request with an error, and reports it.
 *
 * @param code a JSON-RPC error code, such as `ERRORS.invalidParams`
 */
export function refuse(
  scope: RequestScope,
  request: Request,
  code: number,
  message: string,
  data?: unknown,
): void {
  scope.report({ method: request.method, era: eraOf(request), error: code });
  scope.reply(failure(request.id, code, message, data));
}

/** Answers a request that carries a value outside the declared `values`, under `invalid: error`. */
export function refuseValue(
  scope: RequestScope,
  request: Request,
  { policy }: Configuration,
  invalid: InvalidValue,
): void {
  const { concern, value, values, suggestion } = invalid;
  const multiple = policy.concerns.find(({ name }) => name === concern)?.multiple === true;
  const names = 'min' in values ? `a number from ${values.min} to ${values.max}` : values.join(', ');
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const message = `${quote(value)} is not a valid value for ${concern} (${multiple ? 'one or more of ' : ''}${names}).${hint}`;
  refuse(scope, request, ERRORS.invalidParams, message, invalid);
}

const QUOTED_CHARACTERS = 80;

/** Hosts may send values of any size and depth. `JSON.stringify` throws on arrays that are nested too deeply. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'A list' : 'An object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, QUOTED_CHARACTERS) : value);
  return String(text);
}
