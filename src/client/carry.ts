import { ACCESS_METHODS, EXTENSION_ID, LISTS, read } from '../protocol/messages/wire.js';
import type { HostPreferences } from './check.js';

/** The kinds of primitives that servers list. */
export type Kind = keyof typeof LISTS;
export const KINDS = Object.keys(LISTS) as readonly Kind[];

/** The requests that say in `_meta` what the host wants: the four lists, and what reaches for a primitive. */
const CARRYING: ReadonlySet<unknown> = new Set<string>([
  ...KINDS.map((kind) => LISTS[kind].method),
  ...Object.values(ACCESS_METHODS),
]);

/** @returns whether requests of this method carry preferences */
export const carries = (method: unknown): boolean => CARRYING.has(method);

/**
 * Puts preferences into the parameters of one request, where they are stronger than everything else that a server knows
 * of the host. See docs/wire.md, "Where a configuration comes from".
 *
 * @param params the parameters of a list request, or of one that reaches for a primitive
 * @param concerns what to ask for
 * @returns the parameters with `_meta`; the same ones where nothing is asked for, or where they carry concerns already
 * @example
 * inMeta({ name: 'encryptData' }, { security: 'high' });
 */
export function inMeta<P extends object | undefined>(params: P, concerns: HostPreferences): P {
  if (Object.keys(concerns).length === 0 || read(params, '_meta', EXTENSION_ID) !== undefined) return params;
  const meta = read(params, '_meta') as object | undefined;
  return { ...params, _meta: { ...meta, [EXTENSION_ID]: { concerns } } } as P;
}

/**
 * Client capabilities that say what a host wants for as long as it is connected, in both eras and without anything else
 * of this module: in `initialize`, or in each request of the modern era.
 *
 * Capabilities cannot change while connected. What is set later is stronger concern by concern, so name in them only
 * what a person is not going to change.
 *
 * @param concerns what to ask for
 * @returns the `capabilities` of an SDK client, or a part of them
 * @example
 * new Client({ name: 'host', version: '1.0.0' }, { capabilities: concernsCapabilities({ preset: 'safe' }) });
 */
export function concernsCapabilities<P extends HostPreferences>(
  concerns: P,
): { extensions: { [EXTENSION_ID]: { concerns: P } } } {
  return { extensions: { [EXTENSION_ID]: { concerns } } };
}
