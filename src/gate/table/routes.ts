import { compileGlob } from '../../engine/match/glob.js';
import type { Kind, Settings } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';

/** A primitive that a request names, and the path in `params` to its name or URI. */
export interface NamePath {
  readonly type: 'tool' | 'prompt' | 'uri';
  readonly path: readonly string[];
}

/**
 * Returns where the params of a request name primitives. Without a result, the params do not have the form that the
 * method requires.
 */
export type FindNames = (params: unknown) => readonly NamePath[] | undefined;

/** The path in a result to a list of entries that have a `uri` each. `*` stands for each item of a list. */
export type EntryPath = readonly string[];

/** What the gate does with a request of a client. */
export type Route =
  /** Filters the list in the answer. */
  | { readonly to: 'list'; readonly kind: Kind }
  /** Under `enforce`, checks access to what the request names, and redacts the answer. */
  | { readonly to: 'access'; readonly names: FindNames; readonly entries?: readonly EntryPath[] }
  /** Names no primitive, but under `enforce` its answer is redacted. */
  | { readonly to: 'scan'; readonly entries?: readonly EntryPath[] }
  /**
   * An HTTP or stdio handler of SDK v2 answers it in front of the gate, which only tells what is hidden. The gate cannot
   * filter the stream of another server, so it refuses the request under `enforce`, except a subscription to tasks.
   */
  | { readonly to: 'handler'; readonly names: FindNames }
  | { readonly to: 'initialize' | 'discover' | 'listConcerns' | 'updateConcerns' | 'tasks' | 'pass' }
  /** Names a task by its id, which must belong to the caller in every mode. */
  | { readonly to: 'task' }
  /** Names a primitive of the gate itself, see `panel-routes.ts`. */
  | { readonly to: 'panelTool' | 'panelPageTool' | 'panelPrompt' | 'panelPage' }
  /** Not in the table: a handler of this process asks which names of a request to replace. */
  | { readonly to: 'probe' }
  /** Not in the table: `enforce` refuses it. */
  | { readonly to: 'unknown' };

/** A request that names one primitive, as a member of its params. Its answer may have lists of entries. */
const at = (type: NamePath['type'], member: string, ...entries: readonly EntryPath[]): Route => {
  const names: readonly NamePath[] = [{ type, path: [member] }];
  return { to: 'access', names: () => names, entries };
};

/** Every method that a client may request. A method that is not in this table is refused under `enforce`. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['initialize', { to: 'initialize' }],
  ['server/discover', { to: 'discover' }],
  ['ping', { to: 'pass' }],
  ['logging/setLevel', { to: 'pass' }],
  ['listConcerns', { to: 'listConcerns' }],
  ['updateConcerns', { to: 'updateConcerns' }],
  ['tools/list', { to: 'list', kind: 'tools' }],
  ['prompts/list', { to: 'list', kind: 'prompts' }],
  ['resources/list', { to: 'list', kind: 'resources' }],
  ['resources/templates/list', { to: 'list', kind: 'resourceTemplates' }],
  ['tools/call', at('tool', 'name')],
  ['prompts/get', at('prompt', 'name')],
  ['resources/read', at('uri', 'uri')],
  ['resources/subscribe', at('uri', 'uri')],
  ['resources/unsubscribe', at('uri', 'uri')],
  ['completion/complete', { to: 'access', names: completedName }],
  ['subscriptions/listen', { to: 'handler', names: subscribedUris }],
  ['tasks/list', { to: 'tasks' }],
  ['tasks/get', { to: 'task' }],
  ['tasks/result', { to: 'task' }],
  ['tasks/cancel', { to: 'task' }],
  ['tasks/update', { to: 'task' }],
  // The Skills extension, SEP-2640.
  ['skills/list', { to: 'scan', entries: [['skills'], ['skills', '*', 'resources']] }],
  ['skills/get', at('uri', 'uri', ['skill', 'resources'])],
  ['resources/directory/read', at('uri', 'uri', ['resources'])],
]);

function completedName(params: unknown): readonly NamePath[] | undefined {
  const type = read(params, 'ref', 'type');
  if (type === 'ref/prompt') return [{ type: 'prompt', path: ['ref', 'name'] }];
  if (type === 'ref/resource') return [{ type: 'uri', path: ['ref', 'uri'] }];
  return undefined;
}

function subscribedUris(params: unknown): readonly NamePath[] {
  const path = ['notifications', 'resourceSubscriptions'];
  const uris = read(params, ...path);
  return Array.isArray(uris) ? uris.map((_, index) => ({ type: 'uri', path: [...path, String(index)] })) : [];
}

/** Methods that protocol version 2026-07-28 no longer has. */
export const REMOVED_METHODS: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** The notifications that pass under `enforce`, by sender. */
export const NOTIFICATIONS = {
  client: new Set([
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'notifications/roots/list_changed',
    // A client can run tasks for a server too.
    'notifications/tasks/status',
  ]),
  server: new Set([
    'notifications/cancelled',
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/tasks/status',
    'notifications/elicitation/complete',
  ]),
} as const satisfies { readonly [side: string]: ReadonlySet<string> };

/**
 * The notifications of the Tasks extension. They pass under `enforce` from a server that knows the owners of its tasks: those
 * of any other server may be about tasks of other callers.
 */
export const OWNED_TASK_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/tasks',
  'notifications/subscriptions/acknowledged',
]);

/** The methods that a server may request of a client under `enforce`. */
export const SERVER_REQUESTS: ReadonlySet<string> = new Set([
  'ping',
  'roots/list',
  'sampling/createMessage',
  'elicitation/create',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
]);

/** Returns the paths at which a request names primitives; none for other methods, or if the params have another form. */
export function namesIn(method: string, params: unknown): readonly NamePath[] {
  const route = ROUTES.get(method);
  return route !== undefined && 'names' in route ? (route.names(params) ?? []) : [];
}

/** Returns where the answer to a request has lists of entries. */
export function entriesOf(method: string): readonly EntryPath[] {
  const route = ROUTES.get(method);
  return (route !== undefined && 'entries' in route ? route.entries : undefined) ?? [];
}

/**
 * Returns which part of the params prevents an access check: a name that is missing or not a string, or a reference of an
 * unknown type.
 *
 * @param route the route of the request
 * @param params the params of the request, unchecked
 * @returns the path of the part, such as `params.name`; `undefined` if every name is a string
 * @example
 * malformedName(routeOf(settings, 'tools/call'), { name: ['a'] }); // 'params.name'
 */
export function malformedName(route: Route, params: unknown): string | undefined {
  if (route.to !== 'access') return undefined;
  const names = route.names(params);
  if (names === undefined) return 'params.ref.type';
  const wrong = names.find(({ path }) => typeof read(params, ...path) !== 'string');
  return wrong && ['params', ...wrong.path].join('.');
}

/**
 * Returns whether `settings.methods` lets a method pass that is in no table.
 *
 * @param settings the settings of the policy
 * @param method a method of a request or a notification
 * @example
 * isAllowed({ ...settings, methods: ['vendor/*'] }, 'vendor/status'); // true
 */
export function isAllowed(settings: Settings, method: string): boolean {
  if (settings.methods === undefined) return false;
  let matchers = compiled.get(settings);
  if (matchers === undefined) {
    matchers = settings.methods.map(compileGlob);
    compiled.set(settings, matchers);
  }
  return matchers.some((matches) => matches(method));
}

const compiled = new WeakMap<Settings, readonly ((method: string) => boolean)[]>();
