import type { Settings } from '../../engine/policy.js';
import { ACCESS_METHODS, type Request, read } from '../../wire/messages.js';
import type { Route } from './routes.js';

/** The primitives that the gate adds to a server's own under `settings.panel`. */
export const PANEL = {
  /** Shows what is in effect. Called by the model; a form or the page that it opens is for the person. */
  tool: 'concerns',
  /** Called by the page only: MCP Apps, `visibility: ["app"]`. */
  readTool: 'concerns_read',
  updateTool: 'concerns_update',
  /** The prompt with one argument for each concern, and the beginning of the name of each preset's prompt. */
  prompt: 'concerns',
  presetPrompt: 'concerns-',
  /** The page, an MCP App. */
  page: 'ui://concerns/panel.html',
} as const;

/** The requests that name one of them: the method, the param with the name, the names, and the route. */
const ROWS: readonly (readonly [
  method: string,
  param: string,
  isOurs: (name: string) => boolean,
  route: Route,
])[] = [
  [ACCESS_METHODS.call, 'name', (name) => name === PANEL.tool, { to: 'panelTool' }],
  [
    ACCESS_METHODS.call,
    'name',
    (name) => name === PANEL.readTool || name === PANEL.updateTool,
    { to: 'panelPageTool' },
  ],
  [
    ACCESS_METHODS.get,
    'name',
    (name) => name === PANEL.prompt || name.startsWith(PANEL.presetPrompt),
    { to: 'panelPrompt' },
  ],
  [ACCESS_METHODS.read, 'uri', (uri) => uri === PANEL.page, { to: 'panelPage' }],
];

/** Whether people can switch inside a conversation. Under `shadow` a switch would change nothing that they can see. */
export function panelMode({ panel = 'off', enforcement }: Settings): 'off' | 'read-only' | 'on' {
  return panel === 'on' && enforcement === 'shadow' ? 'read-only' : panel;
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
  return ROWS.find(([rowMethod, param, isOurs]) => {
    const name = rowMethod === method ? read(params, param) : undefined;
    return typeof name === 'string' && isOurs(name);
  })?.[3];
}
