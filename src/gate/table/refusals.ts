import type { Settings } from '../../engine/policy.js';
import { ERRORS, eraOf, type Request } from '../../wire/messages.js';
import {
  isAllowed,
  malformedName,
  NOTIFICATIONS,
  REMOVED_METHODS,
  ROUTES,
  type Route,
  SERVER_REQUESTS,
} from './routes.js';

/** The error that `enforce` answers instead of the server. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** The words of the SDKs. */
export const METHOD_NOT_FOUND: Refusal = { code: ERRORS.methodNotFound, message: 'Method not found' };

const PASS: Route = { to: 'pass' };
const UNKNOWN: Route = { to: 'unknown' };

/** Returns the route of a method of the client. `settings.methods` counts only for methods that are not in the table. */
export function routeOf(settings: Settings, method: string): Route {
  return ROUTES.get(method) ?? (isAllowed(settings, method) ? PASS : UNKNOWN);
}

/** Returns how `enforce` refuses a request of the client before any name is looked up; `undefined` if it does not. */
export function refusalOf(request: Request, route: Route): Refusal | undefined {
  if (route.to === 'unknown' || route.to === 'handler') return METHOD_NOT_FOUND;
  const malformed = malformedName(route, request.params);
  if (malformed === undefined) return undefined;
  // What a server of this era answers, whatever the params.
  if (eraOf(request) === 'modern' && REMOVED_METHODS.has(request.method)) return METHOD_NOT_FOUND;
  const message =
    malformed === 'params.ref.type'
      ? 'params.ref.type must be "ref/prompt" or "ref/resource".'
      : `${malformed} must be a string.`;
  return { code: ERRORS.invalidParams, message };
}

/** Returns whether a notification passes under `enforce`. */
export function passesNotification(
  settings: Settings,
  sender: keyof typeof NOTIFICATIONS,
  method: string,
): boolean {
  if (NOTIFICATIONS[sender].has(method)) return true;
  // Without an id, the method of a request may run at the server all the same.
  return !ROUTES.has(method) && isAllowed(settings, method);
}

/** Returns whether a request of the server passes under `enforce`. */
export const passesServerRequest = (settings: Settings, method: string): boolean =>
  SERVER_REQUESTS.has(method) || isAllowed(settings, method);

/** Returns a method for a log; `other` if it does not look like one, because clients can send any text as a method. */
export const loggable = (method: string): string => (/^[\w$./-]{1,100}$/.test(method) ? method : 'other');
