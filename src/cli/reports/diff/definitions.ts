import { sortedJson } from '../../../core/engine/pins.js';
import type { DefinitionChange, DefinitionDetail } from '../../../core/policy/diff/compare-definitions.js';
import { KIND_NAMES } from '../../../core/policy/language/kind-names.js';
import { count, plain } from '../../terminal/output.js';

/**
 * Describes how one definition differs, for a person who decides whether to pin it.
 *
 * @param change the difference
 * @returns the sentence about the primitive, and one line for each part of its definition that differs
 * @example
 * definitionLines({ kind: 'tools', name: 'tree', change: 'new', details: [] }); // ['tree: new']
 */
export function definitionLines({ kind, name, change, from, isKnown, details }: DefinitionChange): string[] {
  const what = kind === 'tools' ? '' : ` (${KIND_NAMES[kind][0]})`;
  return [
    `${plain(name)}${what}: ${aboutChange(change, from)}`,
    ...(isKnown ? [] : [UNKNOWN]),
    ...detailLines(details),
  ];
}

/** @returns one line for each part of a definition that differs */
export const detailLines = (details: readonly DefinitionDetail[]): string[] =>
  details.map((each) => `  ${detailLine(each)}`);

const UNKNOWN =
  '  The old definition is not known, so this is all of the new one. To see only what changed, pass a snapshot of that time with --old-catalog.';

function aboutChange(change: DefinitionChange['change'], from: string | undefined): string {
  const other = from === undefined ? '' : plain(from);
  if (change === 'renamed') return `renamed, it was ${other}`;
  if (change === 'gone') return 'no longer listed';
  if (from !== undefined) return `${change}, it has the definition of ${other}`;
  return change;
}

function detailLine({ path, before, after }: DefinitionDetail): string {
  const where = plain(nameOf(path));
  if (before === undefined) return `${where} added: ${valueText(after)}`;
  if (after === undefined) return `${where} removed: ${valueText(before)}`;
  const both = typeof before === 'string' && typeof after === 'string';
  const [old, now] = both ? changedWords(before, after) : [before, after];
  return `${where}: ${valueText(old)} -> ${valueText(now)}`;
}

/** @returns a path as people call it: `readOnlyHint`, or `parameter to.description` */
function nameOf(path: readonly string[]): string {
  const [member, properties, ...rest] = path;
  if (member === 'annotations') return path.slice(1).join('.');
  const isParameter = member === 'inputSchema' && properties === 'properties' && rest.length > 0;
  return isParameter ? `parameter ${rest.join('.')}` : path.join('.');
}

/** Words before and after the change, so that one finds it in the text. */
const AROUND = 2;
/** In characters. A changed text can be a page. */
const MAX_TEXT = 400;

/** @returns the words of both texts without what they begin and end with in common */
function changedWords(before: string, after: string): [before: string, after: string] {
  const [old, now] = [before.split(/\s+/), after.split(/\s+/)];
  const least = Math.min(old.length, now.length);
  let same = 0;
  while (same < least && old[same] === now[same]) same++;
  let end = 0;
  while (end < least - same && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [first, last] = [Math.max(0, same - AROUND), Math.max(0, end - AROUND)];
  const part = (words: readonly string[]): string =>
    `${first > 0 ? '... ' : ''}${words.slice(first, words.length - last).join(' ')}${last > 0 ? ' ...' : ''}`;
  return [part(old), part(now)];
}

/** @returns a value as JSON, and how much of it is left out */
function valueText(value: unknown): string {
  const text = sortedJson(value) ?? 'nests too deeply';
  const rest = text.length - MAX_TEXT;
  return plain(rest > 0 ? `${text.slice(0, MAX_TEXT)}... (${count(rest)} more characters)` : text);
}
