import type { Settings } from '../../engine/policy.js';
import {
  ACCESS_METHODS,
  CLIENT_CAPABILITIES_META,
  eraOf,
  isRequest,
  type Message,
  type Request,
  read,
  TASKS_EXTENSION,
} from '../../wire/messages.js';
import { panelRouteOf } from './panel-routes.js';
import { loggable, refusalOf, routeOf } from './refusals.js';
import type { Route } from './routes.js';

/** The routes that the gate handles in every mode, because it changes the answer or gives it. */
const HANDLED: ReadonlySet<Route['to']> = new Set([
  'list',
  'initialize',
  'discover',
  'listConcerns',
  'updateConcerns',
  'tasks',
  'task',
]);

/**
 * Returns whether a message passes by the gate: a request whose answer the gate does not read, because nothing is enforced.
 * Nothing is created for such a request, and it keeps the client's id.
 *
 * @param settings the settings of the policy in force
 * @param message a message of the client
 * @example
 * passesBy({ ...settings, enforcement: 'advisory' }, { jsonrpc: '2.0', id: 1, method: 'ping' }); // true
 */
export function passesBy(settings: Settings, message: Message): message is Request {
  const { enforcement } = settings;
  if (enforcement === 'enforce' || !isRequest(message)) return false;
  if (panelRouteOf(settings, message) !== undefined) return false;
  const route = routeOf(settings, message.method);
  if (HANDLED.has(route.to)) return false;
  // Shadow reports which names enforce would refuse. For a malformed request, that is known without the lists.
  if (enforcement === 'shadow' && route.to === 'access' && refusalOf(message, route) === undefined)
    return false;
  return !createsTask(message);
}

/** Returns what to report about a request that passes by. Under `shadow`, it says what `enforce` would refuse. */
export function reportOfPassing(settings: Settings, request: Request) {
  const { method } = request;
  const refused =
    settings.enforcement === 'shadow' && refusalOf(request, routeOf(settings, method)) !== undefined;
  return { method, era: eraOf(request), ...(refused ? { refused: loggable(method) } : {}) };
}

/**
 * The gate remembers who created a task, and by which tool. A server answers with a task if the call asks for one, or if
 * the client declares the Tasks extension of 2026-07-28.
 */
const createsTask = ({ method, params }: Request): boolean =>
  method === ACCESS_METHODS.call &&
  (params?.task !== undefined ||
    read(params, '_meta', CLIENT_CAPABILITIES_META, 'extensions', TASKS_EXTENSION) !== undefined);
