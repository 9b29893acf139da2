import { DisplayString, parseDictionary, Token } from 'structured-headers';
import type { ConcernWarning, InvalidValue, PreferenceSource } from '../../engine/configuration.js';
import {
  CONCERNS_HEADER,
  CONCERNS_PARAMETER,
  EXTENSION_ID,
  type Request,
  read,
} from '../../wire/messages.js';
import { readPart, readPlainParts } from './preference-text.js';

/** What a transport knows about the HTTP request that carried a message. */
export interface HttpRequestInfo {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  readonly url?: string | URL | undefined;
}

const MALFORMED_PARAMETER: ConcernWarning = {
  code: 'malformed-parameter',
  message:
    'The parameter ?concerns of the URL is ignored: a name or a value is missing. Send it like "?concerns=security:high,cost:minimal".',
};

const MALFORMED_HEADER: ConcernWarning = {
  code: 'malformed-header',
  message:
    'The Mcp-Concerns header is ignored: it is not a structured-field dictionary (RFC 9651). Send it like "security=high, cost=minimal".',
};

/** The preferences of one request. */
export interface SentPreferences {
  /** Unchecked. */
  readonly sources: readonly PreferenceSource[];
  readonly warnings: readonly ConcernWarning[];
  /** What could not be read. */
  readonly malformed: readonly InvalidValue[];
}

/**
 * Collects the preferences that a host sends with one request: in `_meta`, in the session, in the HTTP header and in
 * the URL.
 *
 * @param request the request; `undefined` for messages whose `_meta` does not count
 * @param kept the preferences of the session or, in the modern era, of the client's capabilities, and those of the
 *   verified caller; strongest first
 * @param http the HTTP request, if the transport is HTTP
 * @returns the sources that have preferences, unchecked, and those that could not be read, with warnings about them
 * @example
 * readPreferenceSources(request, [{ from: 'session', concerns: undefined }], { headers: { 'mcp-concerns': 'security=high' } });
 */
export function readPreferenceSources(
  request: Request | undefined,
  kept: readonly PreferenceSource[],
  http: HttpRequestInfo | undefined,
): SentPreferences {
  const sources: PreferenceSource[] = [];
  const warnings: ConcernWarning[] = [];
  const malformed: InvalidValue[] = [];
  const fail = (warning: ConcernWarning, concern: string, value: string): void => {
    warnings.push(warning);
    malformed.push({ code: warning.code, concern, value, values: [] });
  };
  const own = read(request?.params, '_meta', EXTENSION_ID, 'concerns');
  if (own !== undefined) sources.push({ from: 'request', concerns: own });
  for (const each of kept) if (each.concerns !== undefined) sources.push(each);
  if (http === undefined) return { sources, warnings, malformed };

  const header = http.headers?.[CONCERNS_HEADER];
  if (header !== undefined) {
    const text = [header].flat().join(', ');
    const concerns = parseHeader(text);
    if (concerns !== undefined) sources.push({ from: 'header', concerns });
    else fail(MALFORMED_HEADER, 'Mcp-Concerns', text);
  }
  const parameter = parametersOf(http.url)?.getAll(CONCERNS_PARAMETER).join(',');
  if (parameter) {
    const concerns = parseParameter(parameter);
    if (concerns !== undefined) sources.push({ from: 'url', concerns });
    else fail(MALFORMED_PARAMETER, `?${CONCERNS_PARAMETER}`, parameter);
  }
  return { sources, warnings, malformed };
}

/** Returns the parameters of a request's URL; `undefined` if it has none. Then nothing is parsed: most have none. */
export function parametersOf(url: string | URL | undefined): URLSearchParams | undefined {
  if (url === undefined) return undefined;
  const text = typeof url === 'string' ? url : url.href;
  const start = text.indexOf('?');
  return start === -1 ? undefined : new URLSearchParams(text.slice(start).replace(/#.*$/s, ''));
}

/**
 * Reads the value of the `Mcp-Concerns` header, a dictionary of RFC 9651. Parameters of its members are ignored, and a name
 * alone is a preset. Proxies join headers by this RFC, so it is tried first; what is malformed there, such as `effect:read-only`,
 * may have the spelling of the URL.
 *
 * @returns the concerns by name; `undefined` if the value is neither
 * @example
 * parseHeader('security=high, topic=(documents charts)'); // { security: 'high', topic: ['documents', 'charts'] }
 */
export function parseHeader(header: string): Record<string, unknown> | undefined {
  let dictionary: ReturnType<typeof parseDictionary>;
  try {
    dictionary = parseDictionary(header);
  } catch {
    return readPlainParts(header);
  }
  const entries = [...dictionary].map(([name, [member]]) => {
    if (member === true) return ['preset', name];
    return [name, Array.isArray(member) ? member.map(([item]) => plain(item)) : severalOf(member)];
  });
  return Object.fromEntries(entries);
}

/** A token can contain `|`, which separates values. In quotes, it is a part of one. */
function severalOf(item: unknown): unknown {
  const text = plain(item);
  return item instanceof Token && item.toString().includes('|') ? item.toString().split('|') : text;
}

/** Tokens and display strings become strings. Other types are kept as they are: the check against the policy rejects them. */
function plain(item: unknown): unknown {
  return item instanceof Token || item instanceof DisplayString ? item.toString() : item;
}

/**
 * Reads the `concerns` parameter of a URL. Of a name that is repeated, the last value counts, as in the header.
 *
 * @returns the concerns by name; `undefined` if a name or a value is missing
 * @example
 * parseParameter('look,topic:documents|charts'); // { preset: 'look', topic: ['documents', 'charts'] }
 */
export function parseParameter(parameter: string): Record<string, unknown> | undefined {
  const parts = parameter
    .split(',')
    .filter((part) => part !== '')
    .map(readPart);
  return parts.every((part) => part !== undefined) ? Object.fromEntries(parts) : undefined;
}

/**
 * Returns the preferences in the capabilities of a client: in the extension, which is where SDK clients can send them, or in
 * `concerns`, where the proposal has those of a server.
 */
export const concernsOfCapabilities = (capabilities: unknown): unknown =>
  read(capabilities, 'extensions', EXTENSION_ID, 'concerns') ?? read(capabilities, 'concerns');
