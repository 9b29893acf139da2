import { DisplayString, parseDictionary, Token } from 'structured-headers';
import type { ConcernWarning, PreferenceSource } from '../../engine/configuration.js';
import { CONCERNS_HEADER, CONCERNS_PARAMETER, EXTENSION_ID, type Request, read } from '../messages/wire.js';

/** What a transport tells of the HTTP request that a message came in. */
export interface HttpRequestInfo {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  readonly url?: string | URL | undefined;
}

export interface ReadPreferenceSources {
  /** Strongest first. */
  readonly carriers: readonly PreferenceSource[];
  readonly warnings: readonly ConcernWarning[];
}

/**
 * Collects what a host asks for with one list request: its `_meta`, the session, the HTTP header, the URL.
 *
 * @param request the list request; nothing for messages whose `_meta` does not count
 * @param kept what the session holds, or the client's capabilities in its place
 * @param http the HTTP request, if the transport is HTTP
 * @returns the carriers that are there, unchecked, and warnings about those that could not be read
 * @example
 * readPreferenceSources(request, { from: 'session', concerns: undefined }, { headers: { 'mcp-concerns': 'security=high' } });
 */
export function readPreferenceSources(
  request: Request | undefined,
  kept: PreferenceSource | undefined,
  http: HttpRequestInfo | undefined,
): ReadPreferenceSources {
  const carriers: PreferenceSource[] = [];
  const warnings: ConcernWarning[] = [];
  const own = read(request?.params, '_meta', EXTENSION_ID, 'concerns');
  if (own !== undefined) carriers.push({ from: 'request', concerns: own });
  if (kept?.concerns !== undefined) carriers.push(kept);
  if (http === undefined) return { carriers, warnings };

  const header = headerValue(http.headers?.[CONCERNS_HEADER]);
  if (header !== undefined) {
    const concerns = parseHeader(header);
    if (concerns !== undefined) carriers.push({ from: 'header', concerns });
    else {
      const message =
        'The Mcp-Concerns header is no structured-field dictionary (RFC 9651), like security=high, cost=minimal; ignored.';
      warnings.push({ code: 'malformed-header', message });
    }
  }
  const parameter = parameterOf(http.url);
  if (parameter) carriers.push({ from: 'url', concerns: parseParameter(parameter) });
  return { carriers, warnings };
}

/** Most requests have no such parameter: those cost no parsing. */
function parameterOf(url: string | URL | undefined): string | undefined {
  if (url === undefined || !String(url).includes(`${CONCERNS_PARAMETER}=`)) return undefined;
  return new URL(url).searchParams.getAll(CONCERNS_PARAMETER).join(',');
}

function headerValue(value: string | readonly string[] | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

/**
 * Reads `security=high, topic=(documents charts)`. Parameters of members have no meaning and are left out.
 *
 * @param header the value of the `Mcp-Concerns` header
 * @returns the concerns; nothing if it is no structured-field dictionary
 */
export function parseHeader(header: string): Record<string, unknown> | undefined {
  let dictionary: ReturnType<typeof parseDictionary>;
  try {
    dictionary = parseDictionary(header);
  } catch {
    return undefined;
  }
  const entries = [...dictionary].map(([name, [member]]) => [
    name,
    Array.isArray(member) ? member.map(([item]) => plain(item)) : plain(member),
  ]);
  return Object.fromEntries(entries);
}

/** Tokens and display strings are texts; byte sequences, dates and booleans are no values of concerns. */
function plain(item: unknown): unknown {
  return item instanceof Token || item instanceof DisplayString ? item.toString() : item;
}

/**
 * Reads `security:high,topic:documents|charts`, or a preset's name alone.
 *
 * @param parameter the value of the URL's `concerns` parameter
 * @returns the concerns
 */
export function parseParameter(parameter: string): Record<string, unknown> {
  const entries = parameter
    .split(',')
    .filter((part) => part !== '')
    .map((part): [string, unknown] => {
      const colon = part.indexOf(':');
      if (colon === -1) return ['preset', part];
      const value = part.slice(colon + 1);
      return [part.slice(0, colon), value.includes('|') ? value.split('|') : value];
    });
  return Object.fromEntries(entries);
}
