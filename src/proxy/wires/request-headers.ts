import { encodeHeader } from '../../core/http/header-value.js';
import { type Era, type Message, PROTOCOL_VERSION_META, read } from '../../core/wire/messages.js';
import { MODERN_VERSION } from '../eras/envelope.js';

/** The header that names a session in the legacy era. */
export const SESSION = 'mcp-session-id';

/** Which parameter the header `Mcp-Name` repeats (streamable-http, "Standard Request Headers"). */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['groups/get', 'name'],
]);

/** What the requests of one connection have in common. */
export interface Connection {
  readonly era: Era;
  /** The headers that the person gave, or that the only client of the connection sent. */
  readonly own: Readonly<Record<string, string>>;
  readonly sessionId: string | undefined;
  /** The version of the legacy era that was negotiated. */
  readonly version: string | undefined;
}

/**
 * Returns the headers of a request to a server over Streamable HTTP.
 *
 * @param connection what all its requests have in common
 * @param message what is posted; without it, a stream is opened or a session is ended
 * @example
 * requestHeaders({ era: 'legacy', own: {}, sessionId: 's1', version: '2025-11-25' }).accept; // 'application/json, text/event-stream'
 */
export function requestHeaders(
  { era, own, sessionId, version }: Connection,
  message?: Message,
): Record<string, string> {
  const common = {
    ...own,
    accept: 'application/json, text/event-stream',
    ...(message === undefined ? {} : { 'content-type': 'application/json' }),
  };
  if (era === 'legacy') {
    return {
      ...common,
      ...(sessionId === undefined ? {} : { [SESSION]: sessionId }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    };
  }
  const method = String(read(message, 'method') ?? '');
  const asked = read(message, 'params', '_meta', PROTOCOL_VERSION_META);
  const name = read(message, 'params', NAMES.get(method) ?? '');
  return {
    ...common,
    'mcp-protocol-version': typeof asked === 'string' ? asked : MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  };
}

/** @returns the value of a header that repeats a value of the body, encoded only if it must be */
export const headerText = (value: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
    ? value
    : encodeHeader(value);
