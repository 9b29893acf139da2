import type { ConcernWarning } from '../../engine/configuration.js';
import { compileGlob } from '../../engine/match/glob.js';
import type { Policy } from '../../engine/policy.js';
import { CONCERNS_PARAMETER } from '../../wire/messages.js';
import { type HttpRequestInfo, parametersOf } from './preference-sources.js';

/** A filter of tools by name, as other servers accept it in their URL and headers. */
export interface NameFilter {
  /** Where it came from, for messages. */
  readonly from: string;
  readonly keeps: 'matching' | 'others';
  /** Names, or patterns in which `*` matches any number of characters. */
  readonly names: readonly string[];
}

/** The limits of one filter: as those of `params.filter` (SEP-2564). */
const LIMITS = { names: 100, characters: 256 } as const;

/** `key` is the header as transports name it. */
const CARRIERS = [
  { parameter: 'tools', header: 'X-MCP-Tools', key: 'x-mcp-tools', keeps: 'matching' },
  { parameter: 'exclude', header: 'X-MCP-Exclude-Tools', key: 'x-mcp-exclude-tools', keeps: 'others' },
] as const;

/** Headers of other servers that mean groups of tools which only those servers know. */
const FOREIGN_HEADERS = [
  { header: 'X-MCP-Readonly', key: 'x-mcp-readonly' },
  { header: 'X-MCP-Toolsets', key: 'x-mcp-toolsets' },
] as const;

export const NO_WARNINGS: readonly ConcernWarning[] = [];
const NO_FILTERS: readonly NameFilter[] = [];

/**
 * Reads the name filters of a request. Each is one more filter of what is shown, so together they only narrow a list.
 *
 * @param http the HTTP request, if the transport is HTTP
 * @returns the filters that the request has
 * @example
 * readNameFilters({ url: 'http://localhost/mcp?tools=log*' }); // [{ from: '?tools', keeps: 'matching', names: ['log*'] }]
 */
export function readNameFilters(http: HttpRequestInfo | undefined): readonly NameFilter[] {
  if (http === undefined) return NO_FILTERS;
  const { url, headers = {} } = http;
  const parameters = parametersOf(url);
  // Most requests have none, and every request is read.
  if (parameters === undefined && !CARRIERS.some(({ key }) => headers[key] !== undefined)) return NO_FILTERS;
  return CARRIERS.flatMap(({ parameter, header, key, keeps }) => {
    const sent = [
      { from: `?${parameter}`, text: parameters?.getAll(parameter).join(',') ?? '' },
      { from: header, text: [headers[key] ?? ''].flat().join(',') },
    ];
    return sent.flatMap(({ from, text }) => {
      const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
      return names.length === 0 ? [] : [{ from, keeps, names }];
    });
  });
}

/**
 * Returns the warnings about parameters and headers that have no effect here, with the way that has one.
 *
 * @param policy the policy in force
 * @param http the HTTP request, if the transport is HTTP
 */
export function warnOfOtherServers(
  policy: Policy,
  http: HttpRequestInfo | undefined,
): readonly ConcernWarning[] {
  if (http === undefined) return NO_WARNINGS;
  const { headers = {}, url } = http;
  const unread = new Set([...(parametersOf(url)?.keys() ?? [])].filter(isNearMiss));
  const sent = FOREIGN_HEADERS.filter(({ key }) => headers[key] !== undefined);
  const filters = readNameFilters(http);
  if (sent.length === 0 && filters.length === 0 && unread.size === 0) return NO_WARNINGS;
  const instead = insteadOf(policy);
  const foreign = [
    ...[...unread].slice(0, MAX_UNREAD).map((name) => ({
      code: 'unread-parameter',
      message: `?${name} is not read: preferences are sent in ?concerns. ${instead}`,
    })),
    ...sent.map(({ header }) => ({
      code: 'unsupported-header',
      message: `${header} has no effect on this server. ${instead}`,
    })),
  ];
  if (policy.settings.nameFilters !== true) {
    return [
      ...foreign,
      ...filters.map(({ from }) => ({
        code: 'name-filters-off',
        message: `${from} has no effect on this server: its policy does not accept name filters. ${instead}`,
      })),
    ];
  }
  const tooMuch = filters.filter(({ names }) => isTooMuch(names));
  return [
    ...foreign,
    ...tooMuch.map(({ from }) => ({
      code: 'name-filter-too-long',
      message: `${from} has more than ${LIMITS.names} names, or a name of more than ${LIMITS.characters} characters. No tool is listed. Send fewer names.`,
    })),
  ];
}

/** Whether a parameter is probably meant as ours. It is not read, because a server may have one of that name. */
const isNearMiss = (name: string): boolean =>
  name !== CONCERNS_PARAMETER &&
  NEAR_MISSES.has(name.toLowerCase().replaceAll('_', '-').replace(/\[\]$/, ''));

/** One with capitals is the same mistake again. */
const MAX_UNREAD = 3;

const NEAR_MISSES: ReadonlySet<string> = new Set([
  'concern',
  'concerns',
  'preset',
  'presets',
  'mcp-concern',
  'mcp-concerns',
]);

const isTooMuch = (names: readonly string[]): boolean =>
  names.length > LIMITS.names || names.some((name) => name.length > LIMITS.characters);

/** An example that this policy understands. */
function insteadOf({ presets, concerns }: Policy): string {
  const [preset] = presets.keys();
  const host = concerns.find(({ setBy, values }) => setBy === 'host' && !('min' in values));
  const value = host === undefined || 'min' in host.values ? undefined : host.values[0];
  const example = preset ?? (host === undefined ? 'NAME:VALUE' : `${host.name}:${value}`);
  return `Choose what is listed with concerns, for example ?${CONCERNS_PARAMETER}=${example} in the URL.`;
}

/**
 * Returns whether a tool passes all filters, by its name. A filter that is too long passes none: it must never show more.
 *
 * @param filters the filters of the request
 */
export function passesNameFilters(filters: readonly NameFilter[]): (name: string) => boolean {
  const tests = filters.map(({ keeps, names: wanted }) => {
    if (isTooMuch(wanted)) return () => false;
    const matchers = wanted.map(compileGlob);
    return (name: string) => matchers.some((matches) => matches(name)) === (keeps === 'matching');
  });
  return (name) => tests.every((passes) => passes(name));
}

/**
 * Returns a warning for each filter with names that match no tool.
 *
 * @param filters the filters of the request
 * @param names the names of the tools that the client may know
 */
export function warnOfUnknownNames(
  filters: readonly NameFilter[],
  names: readonly string[],
): ConcernWarning[] {
  return filters.flatMap(({ from, names: wanted }) => {
    if (isTooMuch(wanted)) return [];
    const unknown = wanted.filter((name) => {
      const matches = compileGlob(name);
      return !names.some((each) => matches(each));
    });
    if (unknown.length === 0) return [];
    const quoted = unknown.slice(0, 8).map((name) => JSON.stringify(name));
    const more = unknown.length > 8 ? ` and ${unknown.length - 8} more` : '';
    return [
      {
        code: 'unknown-tool-name',
        message: `${from} names tools that are not listed: ${quoted.join(', ')}${more}. Check the names with a list without filters.`,
      },
    ];
  });
}
