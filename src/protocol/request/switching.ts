import type { Concern } from '../../engine/policy.js';
import { panelMode } from '../messages/panel-routes.js';
import { CLIENT_CAPABILITIES_META, read } from '../messages/wire.js';
import type { Exchange } from './exchange.js';
import { recordOf } from './kept-preferences.js';

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
export function clientSurfaces({ era, request, kept: { session } }: Exchange): ClientSurfaces {
  if (era === 'modern') return surfacesOf(read(request.params, '_meta', CLIENT_CAPABILITIES_META));
  return recordOf(session).panel ?? { app: false, form: false };
}

/**
 * Returns the concerns that the model of a request may change with the tool `concerns`. What it sets is kept in the
 * session, which only the legacy era has: the preferences of a caller are the person's own.
 */
export function openToModel(exchange: Exchange): readonly Concern[] {
  const { era, connection } = exchange;
  if (!canSwitch(exchange) || era === 'modern' || connection.preferences.place === 'none') return [];
  return exchange.policy.concerns.filter(({ setBy, model = 'none' }) => setBy === 'host' && model !== 'none');
}

/** Returns whether a person can switch with this request: there is a place to keep what they choose. */
export function canSwitch(exchange: Exchange): boolean {
  return panelMode(exchange.policy.settings) === 'on' && canKeep(exchange);
}

/** Returns whether there is a place to keep preferences: the caller's, or that of a session, which only the legacy era has. */
export function canKeep({ era, connection: { preferences, principal } }: Exchange): boolean {
  return principal?.place === 'store' || (era === 'legacy' && preferences.place !== 'none');
}
