import { ACCESS_METHODS, EXTENSION_ID, LISTS, read } from '../core/wire/messages.js';
import type { HostPreferences } from './check-preferences.js';

/** The kinds of primitives that servers list. */
export type Kind = keyof typeof LISTS;
export const KINDS = Object.keys(LISTS) as readonly Kind[];

/** The list methods, and the methods that name one primitive. */
const METHODS_WITH_PREFERENCES: ReadonlySet<unknown> = new Set<string>([
  ...KINDS.map((kind) => LISTS[kind].method),
  ...Object.values(ACCESS_METHODS),
]);

/** Returns whether a server reads preferences from `_meta` of requests with this method. */
export const acceptsPreferences = (method: unknown): boolean => METHODS_WITH_PREFERENCES.has(method);

/**
 * Adds preferences to the parameters of one request, in `_meta`. They override preferences from every other
 * preference source: session, header and URL. See docs/reference/wire.md.
 *
 * @param params the parameters of a list request, or of a request that names one primitive
 * @param preferences concern names and values
 * @returns new parameters with `_meta`; the given ones if the preferences are empty or `_meta` already has concerns
 * @example
 * await client.callTool(inMeta({ name: 'encryptData' }, { security: 'high' }));
 */
export function inMeta<P extends object | undefined>(params: P, preferences: HostPreferences): P {
  if (Object.keys(preferences).length === 0 || read(params, '_meta', EXTENSION_ID) !== undefined)
    return params;
  const meta = read(params, '_meta');
  const others = typeof meta === 'object' ? meta : {};
  // TypeScript cannot tell that an object with one more optional member still is a `P`.
  return { ...params, _meta: { ...others, [EXTENSION_ID]: { concerns: preferences } } } as P;
}

/** The capabilities of a client with preferences. */
export interface ConcernsCapabilities<P> {
  readonly extensions: Readonly<Record<typeof EXTENSION_ID, { readonly concerns: P }>>;
}

/**
 * Returns client capabilities that declare preferences for a whole connection, in both protocol eras: sent with
 * `initialize`, or with each request of a modern connection. No other function of this module is needed then.
 *
 * Capabilities cannot change while the client is connected. Preferences that are set later override them, one concern
 * at a time, so declare only what the user will not change.
 *
 * @param preferences concern names and values
 * @returns the `capabilities` option of an SDK client, or a part of it
 * @example
 * new Client({ name: 'host', version: '1.0.0' }, { capabilities: concernsCapabilities({ preset: 'safe' }) });
 */
export function concernsCapabilities<P extends HostPreferences>(preferences: P): ConcernsCapabilities<P> {
  return { extensions: { [EXTENSION_ID]: { concerns: preferences } } };
}
