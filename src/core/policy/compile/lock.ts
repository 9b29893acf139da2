import { parse, stringify } from 'yaml';
import { membersOf } from '../../engine/expression/evaluate.js';
import { byKind, KINDS, type Pins } from '../../engine/policy.js';

/**
 * Reads the text of a lock file: the digests of the definitions that a person reviewed.
 *
 * @param text the text of a file that `writeLock` wrote
 * @returns the pins; `undefined` if it is not such a text. Nothing is pinned by half a file
 * @example
 * parseLock('version: 1\ntools:\n  tree: 0123456789abcdef0123456789abcdef\n')?.tools.tree;
 */
export function parseLock(text: string): Pins | undefined {
  let data: unknown;
  try {
    data = parse(text, { maxAliasCount: 0 });
  } catch {
    return undefined;
  }
  const { version, count, ...lists } = membersOf(data);
  const entries = KINDS.flatMap((kind) => Object.entries(membersOf(lists[kind])));
  const isWhole = version === 1 && count === entries.length && entries.every(isPin);
  return isWhole
    ? byKind((kind) => Object.fromEntries(Object.entries(membersOf(lists[kind])).filter(isPin)))
    : undefined;
}

const isPin = (entry: [string, unknown]): entry is [string, string] =>
  typeof entry[1] === 'string' && /^[0-9a-f]{32}$/.test(entry[1]);

/**
 * Writes a lock file. The same pins always give the same bytes.
 *
 * @param pins the digest of each reviewed definition
 * @returns the text of the file
 * @example
 * writeFileSync('policy.lock.yaml', writeLock(pinsOf(catalog)));
 */
export function writeLock(pins: Pins): string {
  let count = 0;
  const lists = byKind((kind) => {
    const entries = Object.entries(pins[kind]).sort(([a], [b]) => (a < b ? -1 : 1));
    count += entries.length;
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  });
  return `${HEADING}${stringify({ version: 1, count, ...lists }, { lineWidth: 0 })}`;
}

/** @returns the pins of several policies as one */
export const joinPins = (all: readonly Pins[]): Pins =>
  byKind((kind) => Object.assign({}, ...all.map((pins) => pins[kind])));

const HEADING = `# The definitions that were reviewed. "mcp-concerns pin" writes this file: do not edit it.\n`;
