import { DisplayString, parseDictionary, Token } from 'structured-headers';
import type { ConcernWarning, PreferenceSource } from '../../engine/configuration.js';
import {
  CONCERNS_HEADER,
  CONCERNS_PARAMETER,
  EXTENSION_ID,
  type Request,
  read,
} from '../../wire/messages.js';
import { MALFORMED_HEADER } from './generated/texts.js';

/** What a transport knows about the HTTP request that carried a message. */
export interface HttpRequestInfo {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  readonly url?: string | URL | undefined;
}

/**
 * Collects the preferences that a host sends with one request: in `_meta`, in the session, in the HTTP header and in
 * the URL.
 *
 * @param request the request; `undefined` for messages whose `_meta` does not count
 * @param kept the preferences of the session or, in the modern era, of the client's capabilities, and those of the
 *   verified caller; strongest first
 * @param http the HTTP request, if the transport is HTTP
 * @returns the sources that have preferences, unchecked, and warnings about sources that could not be read
 * @example
 * readPreferenceSources(request, [{ from: 'session', concerns: undefined }], { headers: { 'mcp-concerns': 'security=high' } });
 */
export function readPreferenceSources(
  request: Request | undefined,
  kept: readonly PreferenceSource[],
  http: HttpRequestInfo | undefined,
) {
  const sources: PreferenceSource[] = [];
  const warnings: ConcernWarning[] = [];
  const own = read(request?.params, '_meta', EXTENSION_ID, 'concerns');
  if (own !== undefined) sources.push({ from: 'request', concerns: own });
  for (const each of kept) if (each.concerns !== undefined) sources.push(each);
  if (http === undefined) return { sources, warnings };

  const header = http.headers?.[CONCERNS_HEADER];
  if (header !== undefined) {
    const concerns = parseHeader([header].flat().join(', '));
    if (concerns !== undefined) sources.push({ from: 'header', concerns });
    else warnings.push(MALFORMED_HEADER);
  }
  const parameter = parametersOf(http.url)?.getAll(CONCERNS_PARAMETER).join(',');
  if (parameter) sources.push({ from: 'url', concerns: parseParameter(parameter) });
  return { sources, warnings };
}

/** Returns the parameters of a request's URL; `undefined` if it has none. Then nothing is parsed: most have none. */
export function parametersOf(url: string | URL | undefined): URLSearchParams | undefined {
  if (url === undefined) return undefined;
  const text = typeof url === 'string' ? url : url.href;
  const start = text.indexOf('?');
  return start === -1 ? undefined : new URLSearchParams(text.slice(start).replace(/#.*$/s, ''));
}

/**
 * Reads the value of the `Mcp-Concerns` header, a dictionary of RFC 9651. Parameters of its members are ignored.
 *
 * @returns the concerns by name; `undefined` if the value is not a structured-field dictionary
 * @example
 * parseHeader('security=high, topic=(documents charts)'); // { security: 'high', topic: ['documents', 'charts'] }
 */
export function parseHeader(header: string): Record<string, unknown> | undefined {
  let dictionary: ReturnType<typeof parseDictionary>;
  try {
    dictionary = parseDictionary(header);
  } catch {
    return undefined;
  }
  const entries = [...dictionary].map(([name, [member]]) =>
    // A name alone is a preset, as in the URL.
    member === true
      ? ['preset', name]
      : [name, Array.isArray(member) ? member.map(([item]) => plain(item)) : plain(member)],
  );
  return Object.fromEntries(entries);
}

/** Tokens and display strings become strings. Other types are kept as they are: the check against the policy rejects them. */
function plain(item: unknown): unknown {
  return item instanceof Token || item instanceof DisplayString ? item.toString() : item;
}

/**
 * Reads the `concerns` parameter of a URL. A part without `:` or `=` is the name of a preset.
 *
 * @returns the concerns by name
 * @example
 * parseParameter('security:high,topic:documents|charts'); // { security: 'high', topic: ['documents', 'charts'] }
 */
export function parseParameter(parameter: string): Record<string, unknown> {
  const entries = parameter
    .split(',')
    .filter((part) => part !== '')
    .map((part): [string, unknown] => {
      const colon = part.search(/[:=]/);
      if (colon === -1) return ['preset', part];
      const value = part.slice(colon + 1);
      return [part.slice(0, colon), value.includes('|') ? value.split('|') : value];
    });
  return Object.fromEntries(entries);
}
