import type { Kind, Settings } from '../../engine/policy.js';
import { ACCESS_METHODS, type Request, read } from '../../wire/messages.js';
import type { Route } from './routes.js';

/** The primitives that the gate adds to a server's own under `settings.panel`. */
export const PANEL = {
  /** Shows what is in effect. Called by the model; a form or the page that it opens is for the person. */
  tool: 'concerns',
  /** For the page: MCP Apps, `visibility: ["app"]`. Any page of the server can call them too. */
  readTool: 'concerns_read',
  updateTool: 'concerns_update',
  /** The prompt with one argument for each concern, and the beginning of the name of each preset's prompt. */
  prompt: 'concerns',
  presetPrompt: 'concerns-',
  /** The page, an MCP App. */
  page: 'ui://concerns/panel.html',
} as const;

/** The page, and what else the gate may need one day. */
const PAGES = 'ui://concerns/';

/** The requests that name one of them: the method, the param with the name, the kind, the names, and the route. */
const ROWS: readonly (readonly [
  method: string,
  param: string,
  kind: Kind,
  isOurs: (name: string) => boolean,
  route: Route,
])[] = [
  [ACCESS_METHODS.call, 'name', 'tools', (name) => name === PANEL.tool, { to: 'panelTool' }],
  [
    ACCESS_METHODS.call,
    'name',
    'tools',
    (name) => name === PANEL.readTool || name === PANEL.updateTool,
    { to: 'panelPageTool' },
  ],
  [
    ACCESS_METHODS.get,
    'name',
    'prompts',
    (name) => name === PANEL.prompt || name.startsWith(PANEL.presetPrompt),
    { to: 'panelPrompt' },
  ],
  [ACCESS_METHODS.read, 'uri', 'resources', (uri) => uri.startsWith(PAGES), { to: 'panelPage' }],
];

/** Whether people can switch inside a conversation. Under `shadow` a switch would change nothing that they can see. */
export function panelMode({ panel = 'off', enforcement }: Settings): 'off' | 'read-only' | 'on' {
  const mode = panel === 'narrow' ? 'on' : panel;
  return mode === 'on' && enforcement === 'shadow' ? 'read-only' : mode;
}

/**
 * Returns the route of a request that names a primitive of the gate; `undefined` for every other request.
 *
 * @param settings the settings of the policy in force
 * @param request the request of a client
 * @example
 * panelRouteOf({ ...settings, panel: 'on' }, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'concerns' } });
 */
export function panelRouteOf(settings: Settings, { method, params }: Request): Route | undefined {
  if (panelMode(settings) === 'off') return undefined;
  return ROWS.find(([rowMethod, param, _kind, isOurs]) => {
    const name = rowMethod === method ? read(params, param) : undefined;
    return typeof name === 'string' && isOurs(name);
  })?.[4];
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
  panelMode(settings) !== 'off' && ROWS.some(([, , rowKind, isOurs]) => rowKind === kind && isOurs(identity));
