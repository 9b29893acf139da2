import { compileGlob } from '../../engine/match/glob.js';
import type { Kind, Settings } from '../../engine/policy.js';
import { getOrMake } from '../../once.js';
import { read } from '../../wire/messages.js';
import * as methods from './generated/methods.js';

/** A primitive that a request names, and the path in `params` to its name or URI. */
export interface NamePath {
  readonly type: 'tool' | 'prompt' | 'uri';
  readonly path: readonly string[];
  /** The type of reference in the params for which this holds. */
  readonly ref?: string;
}

/** The path in a result to a list of entries that have a `uri` each. `*` stands for each item of a list. */
export type EntryPath = readonly string[];

/** A primitive that the gate adds to those of a server. */
export type PanelPart = 'tool' | 'pageTool' | 'prompt' | 'page';

/** What the gate does with a request of a client. */
export type Route =
  /** Filters the list in the answer. */
  | { readonly to: 'list'; readonly kind: Kind }
  /** Under `enforce`, checks access to what the request names, and redacts the answer. */
  | { readonly to: 'access'; readonly names: readonly NamePath[]; readonly entries?: readonly EntryPath[] }
  /** Names no primitive, but under `enforce` its answer is redacted. */
  | { readonly to: 'scan'; readonly entries?: readonly EntryPath[] }
  /** Opens a stream of changes, which the gate filters as long as it is open. */
  | { readonly to: 'listen' }
  | { readonly to: 'initialize' | 'discover' | 'listConcerns' | 'updateConcerns' | 'tasks' | 'pass' }
  /** Names a task by its id, which must belong to the caller in every mode. */
  | { readonly to: 'task' }
  /** The groups of a server, and the members of one. */
  | { readonly to: 'groups' | 'group' }
  /** Names a primitive of the gate itself, see `panelNames`. */
  | { readonly to: 'panel'; readonly part: PanelPart }
  /** Not in the table: a handler of this process asks which names of a request to replace. */
  | { readonly to: 'probe' }
  /** Not in the table: `enforce` refuses it. */
  | { readonly to: 'unknown' };

/** Every method that a client may request: see `methods.yaml`. */
export const ROUTES: ReadonlyMap<string, Route> = new Map(Object.entries<Route>(methods.ROUTES));

/** Methods that protocol version 2026-07-28 no longer has. */
export const REMOVED_METHODS: ReadonlySet<string> = new Set(methods.REMOVED_METHODS);

/** The most resources of one stream of changes. Checking a body of 4 MiB full of them would take minutes. */
export const MAX_URIS = 1000;

/** The notifications that pass under `enforce`, by sender. */
export const NOTIFICATIONS: { readonly [side in 'client' | 'server']: ReadonlySet<string> } = {
  client: new Set(methods.CLIENT_NOTIFICATIONS),
  server: new Set(methods.SERVER_NOTIFICATIONS),
};

/** The methods that a server may request of a client under `enforce`. */
export const SERVER_REQUESTS: ReadonlySet<string> = new Set(methods.SERVER_REQUESTS);

/** Returns where a request names a primitive; `undefined` for other methods, or if the params have another form. */
export function nameIn(method: string, params: unknown): NamePath | undefined {
  const route = ROUTES.get(method);
  return route === undefined ? undefined : nameOf(route, params);
}

/** Without a result for a route to an access check, the params do not have the form that the method requires. */
const nameOf = (route: Route, params: unknown): NamePath | undefined =>
  route.to === 'access'
    ? route.names.find(({ ref }) => ref === undefined || ref === read(params, 'ref', 'type'))
    : undefined;

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
  const name = nameOf(route, params);
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
  const { methods: patterns } = settings;
  const matchers = getOrMake(compiled, settings, () => patterns.map(compileGlob));
  return matchers.some((matches) => matches(method));
}

const compiled = new WeakMap<Settings, readonly ((method: string) => boolean)[]>();

/** The names of the primitives that the gate adds to a server's own under `settings.panel`. */
export interface PanelNames {
  /** Shows what is in effect. Called by the model; a form or the page that it opens is for the person. */
  readonly tool: string;
  /** For the page: MCP Apps, `visibility: ["app"]`. Any page of the server can call them too. */
  readonly readTool: string;
  readonly updateTool: string;
  /** The prompt with one argument for each concern, and the beginning of the name of each preset's prompt. */
  readonly prompt: string;
  readonly presetPrompt: string;
  /** The page, an MCP App. */
  readonly page: string;
  /** The page, and what else the gate may need one day. */
  readonly pages: string;
}

/** @returns the names of the primitives that the gate adds, which begin with `settings.panel-prefix` */
export const panelNames = ({ panelPrefix = 'concerns' }: Pick<Settings, 'panelPrefix'>): PanelNames => ({
  tool: panelPrefix,
  readTool: `${panelPrefix}_read`,
  updateTool: `${panelPrefix}_update`,
  prompt: panelPrefix,
  presetPrompt: `${panelPrefix}-`,
  page: `ui://${panelPrefix}/panel.html`,
  pages: `ui://${panelPrefix}/`,
});

/** Returns which primitive of the gate has a name or URI; `undefined` if none has it. */
export function panelPartOf(
  settings: Settings,
  type: NamePath['type'] | undefined,
  name: string,
): PanelPart | undefined {
  if (type === undefined || panelMode(settings) === 'off') return undefined;
  const { tool, readTool, updateTool, prompt, presetPrompt, pages } = panelNames(settings);
  if (type === 'prompt') return name === prompt || name.startsWith(presetPrompt) ? 'prompt' : undefined;
  if (type === 'uri') return name.startsWith(pages) ? 'page' : undefined;
  if (name === tool) return 'tool';
  return name === readTool || name === updateTool ? 'pageTool' : undefined;
}

/** Whether people can switch inside a conversation. Under `shadow` a switch would change nothing that they can see. */
export function panelMode({ panel = 'off', enforcement }: Settings): 'off' | 'read-only' | 'on' {
  const mode = panel === 'narrow' ? 'on' : panel;
  return mode === 'on' && enforcement === 'shadow' ? 'read-only' : mode;
}

/**
 * Returns whether a name or URI is reserved for what the gate adds. A server that has it too would get what a person does in
 * the page, and could show a page of its own in its place.
 *
 * @param settings the settings of the policy in force
 * @param kind the kind of the primitive
 * @param identity its name or URI
 * @example
 * isReserved({ ...settings, panel: 'on' }, 'prompts', 'concerns-safe'); // true
 */
export const isReserved = (settings: Settings, kind: Kind, identity: string): boolean =>
  panelPartOf(settings, NAMED[kind], identity) !== undefined;

/** How requests name primitives of a kind. The gate has no templates. */
const NAMED: { readonly [K in Kind]?: NamePath['type'] } = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'uri',
};
