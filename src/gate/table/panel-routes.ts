import type { Kind, Settings } from '../../engine/policy.js';
import { type Request, read } from '../../wire/messages.js';
import { type NamePath, nameIn, type Route } from './routes.js';

/** The names of the primitives that the gate adds to a server's own under `settings.panel`. */
export const panelNames = ({ panelPrefix = 'concerns' }: Pick<Settings, 'panelPrefix'>) => ({
  /** Shows what is in effect. Called by the model; a form or the page that it opens is for the person. */
  tool: panelPrefix,
  /** For the page: MCP Apps, `visibility: ["app"]`. Any page of the server can call them too. */
  readTool: `${panelPrefix}_read`,
  updateTool: `${panelPrefix}_update`,
  /** The prompt with one argument for each concern, and the beginning of the name of each preset's prompt. */
  prompt: panelPrefix,
  presetPrompt: `${panelPrefix}-`,
  /** The page, an MCP App. */
  page: `ui://${panelPrefix}/panel.html`,
  /** The page, and what else the gate may need one day. */
  pages: `ui://${panelPrefix}/`,
});

type PanelNames = ReturnType<typeof panelNames>;

const isPrompt = (name: string, { prompt, presetPrompt }: PanelNames): boolean =>
  name === prompt || name.startsWith(presetPrompt);

/** What they are in requests, in lists, and how requests for them are answered. */
const ROWS: readonly (readonly [
  type: NamePath['type'],
  kind: Kind,
  isOurs: (name: string, names: PanelNames) => boolean,
  route: Route,
])[] = [
  ['tool', 'tools', (name, { tool }) => name === tool, { to: 'panelTool' }],
  [
    'tool',
    'tools',
    (name, { readTool, updateTool }) => name === readTool || name === updateTool,
    { to: 'panelPageTool' },
  ],
  ['prompt', 'prompts', isPrompt, { to: 'panelPrompt' }],
  ['uri', 'resources', (uri, { pages }) => uri.startsWith(pages), { to: 'panelPage' }],
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
  const named = nameIn(method, params);
  const name = named === undefined ? undefined : read(params, ...named.path);
  if (typeof name !== 'string') return undefined;
  const names = panelNames(settings);
  return ROWS.find(([type, _kind, isOurs]) => type === named?.type && isOurs(name, names))?.[3];
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
export function isReserved(settings: Settings, kind: Kind, identity: string): boolean {
  if (panelMode(settings) === 'off') return false;
  const names = panelNames(settings);
  return ROWS.some(([, rowKind, isOurs]) => rowKind === kind && isOurs(identity, names));
}
