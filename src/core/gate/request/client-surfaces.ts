import { read } from '../../wire/messages.js';

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
