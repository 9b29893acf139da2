import type { Concern } from '../../engine/policy.js';
import { panelMode } from '../messages/panel-routes.js';
import { CLIENT_CAPABILITIES_META, read } from '../messages/wire.js';
import type { Exchange } from './exchange.js';

/** The extension MCP Apps (SEP-1865), and the type of its pages. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** How a client can ask its person. */
export interface ClientSurfaces {
  /** It shows pages: MCP Apps. */
  readonly app: boolean;
  /** It shows forms: elicitation. */
  readonly form: boolean;
}

/**
 * Returns how a client can ask its person, from its capabilities.
 *
 * @param capabilities the capabilities as the client sent them
 * @example
 * surfacesOf({ elicitation: {} }); // { app: false, form: true }
 */
export function surfacesOf(capabilities: unknown): ClientSurfaces {
  const types = read(capabilities, 'extensions', APPS_EXTENSION, 'mimeTypes');
  const elicitation = read(capabilities, 'elicitation');
  const isObject = typeof elicitation === 'object' && elicitation !== null;
  return {
    app: Array.isArray(types) && types.includes(APP_MIME_TYPE),
    // An empty object means forms: until 2025-06-18 there was nothing else.
    form: isObject && ('form' in elicitation || Object.keys(elicitation).length === 0),
  };
}

/** Returns how the client of a request can ask its person. The exchange must have its configuration. */
export function clientSurfaces({ era, request, session }: Exchange): ClientSurfaces {
  if (era === 'modern') return surfacesOf(read(request.params, '_meta', CLIENT_CAPABILITIES_META));
  const kept = session.state === 'live' ? session.record.panel : undefined;
  return kept ?? { app: false, form: false };
}

/** Returns the concerns that the model of a request may change with the tool `concerns`, if there is a place to keep that. */
export function openToModel(exchange: Exchange): readonly Concern[] {
  if (!canSwitch(exchange)) return [];
  return exchange.policy.concerns.filter(({ setBy, model = 'none' }) => setBy === 'host' && model !== 'none');
}

/** Returns whether a person can switch with this request: there is a place to keep what they choose. */
export function canSwitch({ policy, era, connection }: Exchange): boolean {
  return panelMode(policy.settings) === 'on' && era === 'legacy' && connection.preferences.place !== 'none';
}
