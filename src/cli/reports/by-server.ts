import type { Primitive } from '../../core/engine/mapping.js';
import { serverOf } from '../../core/engine/servers/outside-names.js';
import { groupBy } from '../../core/once.js';
import { plain } from '../terminal/output.js';

/** The name of a server, if there are several, and what it lists. */
export type ServerGroup<T> = readonly [server: string | undefined, items: readonly [T, ...T[]]];

/**
 * Divides primitives by the server that lists them, in the order of the servers.
 *
 * @param items the primitives, with what is known of each
 * @returns one group, without a name, if there is only one server
 * @example
 * byServer(decided)[0]; // ['files', [...]]
 */
export const byServer = <T extends { readonly primitive: Primitive }>(
  items: readonly T[],
): readonly ServerGroup<T>[] => [
  ...groupBy(items, ({ primitive }) => {
    const server = serverOf(primitive);
    return typeof server === 'string' ? server : undefined;
  }),
];

/** Returns one sentence for each server that could not be listed. */
export const unavailableTexts = (unavailable: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(unavailable).map(
    ([server, reason]) => `${plain(server)} is not available: ${plain(reason)}`,
  );
