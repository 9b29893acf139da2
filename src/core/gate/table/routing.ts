import type { Kind, Policy, Settings } from '../../engine/policy.js';
import {
  ACCESS_METHODS,
  CLIENT_CAPABILITIES_META,
  ERRORS,
  type Era,
  eraOf,
  type Failure,
  isRequest,
  type Message,
  type Request,
  read,
  TASKS_EXTENSION,
} from '../../wire/messages.js';
import {
  isAllowed,
  malformedName,
  type NamePath,
  NOTIFICATIONS,
  nameIn,
  panelMode,
  panelPartOf,
  REMOVED_METHODS,
  ROUTES,
  type Route,
  SERVER_REQUESTS,
} from './routes.js';

/** The error that `enforce` answers instead of the server. */
export type Refusal = Failure['error'];

/** The words of the SDKs. */
export const METHOD_NOT_FOUND: Refusal = { code: ERRORS.methodNotFound, message: 'Method not found' };

const PASS: Route = { to: 'pass' };
const UNKNOWN: Route = { to: 'unknown' };

/** Returns the route of a method of the client. `settings.methods` counts only for methods that are not in the table. */
export function routeOf(settings: Settings, method: string): Route {
  return ROUTES.get(method) ?? groupRoute(settings, method) ?? (isAllowed(settings, method) ? PASS : UNKNOWN);
}

/** Extensions can put their own name in front of a method. */
function groupRoute({ groups = [] }: Settings, method: string): Route | undefined {
  const [, extension, name = ''] = /^(.+)\/(groups\/(?:list|get))$/.exec(method) ?? [];
  return extension !== undefined && groups.includes(extension) ? ROUTES.get(name) : undefined;
}

/**
 * Returns the route of a request that names a primitive of the gate; `undefined` for every other request.
 *
 * @param settings the settings of the policy in force
 * @param request the request of a client
 * @example
 * panelRouteOf({ ...settings, panel: 'on' }, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'concerns' } });
 */
export function panelRouteOf(settings: Settings, request: Request): Route | undefined {
  const target = panelMode(settings) === 'off' ? undefined : targetOf(request);
  const part = target && panelPartOf(settings, target.type, target.name);
  return part && { to: 'panel', part };
}

/** Returns how `enforce` refuses a request of the client before any name is looked up; `undefined` if it does not. */
export function refusalOf(request: Request, route: Route): Refusal | undefined {
  if (route.to === 'unknown') return METHOD_NOT_FOUND;
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

/** The routes whose answers the gate changes only if something is enforced. */
const PASSING: ReadonlySet<Route['to']> = new Set(['access', 'scan', 'pass', 'unknown']);

/**
 * Returns whether a message passes by the gate: a request whose answer the gate does not read, because nothing is enforced.
 * Nothing is created for such a request, and it keeps the client's id.
 *
 * @param policy the policy in force
 * @param message a message of the client
 * @example
 * passesBy(advisoryPolicy, { jsonrpc: '2.0', id: 1, method: 'ping' }); // true
 */
export function passesBy(
  { settings, hasStableLists }: Pick<Policy, 'settings' | 'hasStableLists'>,
  message: Message,
): message is Request {
  const { enforcement } = settings;
  if (enforcement === 'enforce' || !isRequest(message)) return false;
  if (panelRouteOf(settings, message) !== undefined) return false;
  const route = routeOf(settings, message.method);
  if (!PASSING.has(route.to)) return false;
  // Shadow reports which names enforce would refuse, and with stable lists the preferences decide what calls may do. For a
  // malformed request, that is known without the lists.
  const isChecked = enforcement === 'shadow' || hasStableLists;
  if (isChecked && route.to === 'access' && refusalOf(message, route) === undefined) return false;
  return !createsTask(message);
}

/** What the log says about a request that passes by. */
export interface PassingReport {
  readonly method: string;
  readonly era: Era;
  readonly refused?: string;
}

/** Returns what to report about a request that passes by. Under `shadow`, it says what `enforce` would refuse. */
export function reportOfPassing(settings: Settings, request: Request): PassingReport {
  const { method } = request;
  const refused =
    settings.enforcement === 'shadow' && refusalOf(request, routeOf(settings, method)) !== undefined;
  const logged = loggable(method);
  return { method: logged, era: eraOf(request), ...(refused ? { refused: logged } : {}) };
}

/**
 * The gate remembers who created a task, and by which tool. A server answers with a task if the call asks for one, or if
 * the client declares the Tasks extension of 2026-07-28.
 */
const createsTask = ({ method, params }: Request): boolean =>
  method === ACCESS_METHODS.call &&
  (params?.task !== undefined ||
    read(params, '_meta', CLIENT_CAPABILITIES_META, 'extensions', TASKS_EXTENSION) !== undefined);

type Params = Readonly<Record<string, unknown>>;

/** A primitive that a request names. */
export interface RequestTarget extends Pick<NamePath, 'type' | 'path'> {
  /** The name or URI. */
  readonly name: string;
}

/** The lists that decide whether a target is shown. */
export const KINDS_OF: Readonly<Record<RequestTarget['type'], readonly [Kind, ...Kind[]]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  uri: ['resources', 'resourceTemplates'],
};

/**
 * Finds the primitive that a request names.
 *
 * @param request any request
 * @returns the target; `undefined` if the request names no primitive
 */
export function targetOf({ method, params }: Request): RequestTarget | undefined {
  const found = nameIn(method, params);
  const name = found && read(params, ...found.path);
  // Each member by name: a spread before the name costs a microsecond.
  return found && typeof name === 'string' ? { type: found.type, path: found.path, name } : undefined;
}

/**
 * Replaces the name of a target.
 *
 * @param params the params of the request
 * @param target a target of the request
 * @param name the name or URI to write in its place
 * @returns a copy of the params; the given ones do not change
 */
export const withName = (params: Params, { path }: Pick<RequestTarget, 'path'>, name: string): Params =>
  withValue(params, path, name) as Params;

function withValue(value: unknown, [key, ...rest]: readonly string[], replacement: string): unknown {
  if (key === undefined) return replacement;
  return { ...(value as object), [key]: withValue(read(value, key), rest, replacement) };
}
