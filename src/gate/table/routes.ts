import { compileGlob } from '../../engine/match/glob.js';
import type { Kind, Settings } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';

/** A primitive that a request names, and the path in `params` to its name or URI. */
export interface NamePath {
  readonly type: 'tool' | 'prompt' | 'uri';
  readonly path: readonly string[];
}

/**
 * Returns where the params of a request name a primitive. Without a result, the params do not have the form that the method
 * requires.
 */
export type FindName = (params: unknown) => NamePath | undefined;

/** The path in a result to a list of entries that have a `uri` each. `*` stands for each item of a list. */
export type EntryPath = readonly string[];

/** What the gate does with a request of a client. */
export type Route =
  /** Filters the list in the answer. */
  | { readonly to: 'list'; readonly kind: Kind }
  /** Under `enforce`, checks access to what the request names, and redacts the answer. */
  | { readonly to: 'access'; readonly name: FindName; readonly entries?: readonly EntryPath[] }
  /** Names no primitive, but under `enforce` its answer is redacted. */
  | { readonly to: 'scan'; readonly entries?: readonly EntryPath[] }
  /** Opens a stream of changes, which the gate filters as long as it is open. */
  | { readonly to: 'listen' }
  | { readonly to: 'initialize' | 'discover' | 'listConcerns' | 'updateConcerns' | 'tasks' | 'pass' }
  /** Names a task by its id, which must belong to the caller in every mode. */
  | { readonly to: 'task' }
  /** The groups of a server, and the members of one. */
  | { readonly to: 'groups' | 'group' }
  /** Names a primitive of the gate itself, see `panel-routes.ts`. */
  | { readonly to: 'panelTool' | 'panelPageTool' | 'panelPrompt' | 'panelPage' }
  /** Not in the table: a handler of this process asks which names of a request to replace. */
  | { readonly to: 'probe' }
  /** Not in the table: `enforce` refuses it. */
  | { readonly to: 'unknown' };

/** A request that names one primitive, as a member of its params. Its answer may have lists of entries. */
const at = (type: NamePath['type'], member: string, ...entries: readonly EntryPath[]): Route => {
  const name: NamePath = { type, path: [member] };
  return { to: 'access', name: () => name, entries };
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
  ['completion/complete', { to: 'access', name: completedName }],
  ['subscriptions/listen', { to: 'listen' }],
  ['tasks/list', { to: 'tasks' }],
  ['tasks/get', { to: 'task' }],
  ['tasks/result', { to: 'task' }],
  ['tasks/cancel', { to: 'task' }],
  ['tasks/update', { to: 'task' }],
  // The Skills extension, SEP-2640.
  ['skills/list', { to: 'scan', entries: [['skills'], ['skills', '*', 'resources']] }],
  ['skills/get', at('uri', 'uri', ['skill', 'resources'])],
  ['resources/directory/read', at('uri', 'uri', ['resources'])],
  // Groups of MCP Toolbox for Databases.
  ['groups/list', { to: 'groups' }],
  ['groups/get', { to: 'group' }],
]);

function completedName(params: unknown): NamePath | undefined {
  const type = read(params, 'ref', 'type');
  if (type === 'ref/prompt') return { type: 'prompt', path: ['ref', 'name'] };
  return type === 'ref/resource' ? { type: 'uri', path: ['ref', 'uri'] } : undefined;
}

/** Methods that protocol version 2026-07-28 no longer has. */
export const REMOVED_METHODS: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** The most resources of one stream of changes. Checking a body of 4 MiB full of them would take minutes. */
export const MAX_URIS = 1000;

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
    'notifications/subscriptions/acknowledged',
    'notifications/tasks/status',
    'notifications/elicitation/complete',
  ]),
} as const satisfies { readonly [side: string]: ReadonlySet<string> };

/**
 * The notifications of the Tasks extension. They pass under `enforce` from a server that knows the owners of its tasks: those
 * of any other server may be about tasks of other callers.
 */
export const OWNED_TASK_NOTIFICATIONS: ReadonlySet<string> = new Set(['notifications/tasks']);

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

/** Returns where a request names a primitive; `undefined` for other methods, or if the params have another form. */
export function nameIn(method: string, params: unknown): NamePath | undefined {
  const route = ROUTES.get(method);
  return route?.to === 'access' ? route.name(params) : undefined;
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
 * @returns the path of the part, such as `params.name`; `undefined` if the name is a string
 * @example
 * malformedName(routeOf(settings, 'tools/call'), { name: ['a'] }); // 'params.name'
 */
export function malformedName(route: Route, params: unknown): string | undefined {
  if (route.to !== 'access') return undefined;
  const name = route.name(params);
  if (name === undefined) return 'params.ref.type';
  return typeof read(params, ...name.path) === 'string' ? undefined : ['params', ...name.path].join('.');
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
