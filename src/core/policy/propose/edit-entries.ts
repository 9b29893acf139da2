import type { Kind } from '../../engine/policy.js';
import { groupBy } from '../../once.js';
import { follow } from '../language/data-parts.js';
import { entryLines } from '../language/edits/text-edits.js';
import type { Path, Source } from '../language/read-yaml.js';
import { toYamlScalar } from '../language/yaml-scalars.js';

/** An entry or a pattern to add: its name, its values as YAML, and a comment behind it. */
export interface NewEntry {
  readonly section: 'primitives' | 'patterns' | 'present';
  readonly kind: Kind;
  readonly name: string;
  readonly values: string;
  readonly comment?: string;
  /** The tool that it belongs to, if it is about a use of a tool or about how a tool is presented. */
  readonly of?: string;
}

/**
 * Removes entries from the text of a policy file, and adds others behind the last entry of their section and kind. All other lines stay
 * as they are, byte by byte.
 *
 * @param source the file
 * @param removed the paths of the entries to remove, such as `['primitives', 'tools', 'echo']`
 * @param added the entries to add
 * @returns the new text; `undefined` if entries share a line with others, so that they cannot be edited line by line
 * @example
 * editEntries(source, [['primitives', 'tools', 'echo']], []);
 */
export function editEntries(
  source: Source,
  removed: readonly Path[],
  added: readonly NewEntry[],
): string | undefined {
  const lines = source.text.split('\n');
  const gone = new Set<number>();
  for (const path of removed) {
    const range = entryLines(source, lines, path);
    if (range === undefined) return undefined;
    for (let line = range.from; line <= range.to; line++) gone.add(line);
  }
  const behind = new Map<number, string[]>();
  const headers = new Set<number>();
  const atEnd = new Map<string, string[]>();
  for (const own of groupBy(added, ({ section, kind }) => `${section} ${kind}`).values()) {
    const [first] = own;
    if (first === undefined) continue;
    const { section, kind } = first;
    const texts = own.map(lineOf);
    const place = insertionPlace(source, lines, section, kind);
    if (place === undefined) return undefined;
    if (place === 'end') {
      const block = [`  ${kind}:`, ...texts.map((text) => `    ${text}`)];
      atEnd.set(section, [...(atEnd.get(section) ?? []), ...block]);
      continue;
    }
    const header = place.isNew ? [`${' '.repeat(place.indent - 2)}${kind}:`] : [];
    const written = [...header, ...texts.map((text) => `${' '.repeat(place.indent)}${text}`)];
    behind.set(place.line, [...(behind.get(place.line) ?? []), ...written]);
    if (place.isHeader) headers.add(place.line);
  }
  const kept = lines.flatMap((line, index) => {
    // What had no entries has some now.
    const own = headers.has(index) ? line.replace(NO_ENTRIES, '$1$2') : line;
    return [...(gone.has(index) ? [] : [own]), ...(behind.get(index) ?? [])];
  });
  const sections = [...atEnd].map(([section, block]) => `\n\n${section}:\n${block.join('\n')}`);
  const text = kept.join('\n');
  return sections.length === 0 ? text : `${text.trimEnd()}${sections.join('')}\n`;
}

const lineOf = ({ name, values, comment }: NewEntry): string =>
  `${toYamlScalar(name)}: ${values}${comment === undefined ? '' : ` # ${comment}`}`;

/** Where new entries of a kind go: behind a line, below a new key, or into a new section at the end of the file. */
type InsertionPlace =
  | {
      readonly line: number;
      readonly indent: number;
      /** Whether the kind has no key yet. */
      readonly isNew: boolean;
      /** Whether the line is that of a key without entries. */
      readonly isHeader: boolean;
    }
  | 'end';

function insertionPlace(
  source: Source,
  lines: readonly string[],
  section: NewEntry['section'],
  kind: Kind,
): InsertionPlace | undefined {
  const kinds = keysAt(source.data, [section]);
  if (kinds === undefined) return 'end';
  const names = keysAt(source.data, [section, kind]) ?? [];
  const last = names.at(-1);
  if (last !== undefined) {
    const path = [section, kind, last];
    const range = entryLines(source, lines, path);
    const indent = source.locate(path, 'key').column - 1;
    return range && { line: range.to, indent, isNew: false, isHeader: false };
  }
  const isNew = !kinds.includes(kind);
  const { line, column } = source.locate(isNew ? [section] : [section, kind], 'key');
  const isBlock = NO_ENTRIES.test(lines[line - 1] ?? '');
  return isBlock ? { line: line - 1, indent: isNew ? 4 : column + 1, isNew, isHeader: true } : undefined;
}

/** A key on a line of its own, without a value or with an empty one. */
const NO_ENTRIES = /^(\s*\w+:)\s*(?:\{\s*\})?(\s*(?:#.*)?)$/;

function keysAt(data: unknown, path: Path): string[] | undefined {
  const value = follow(data, path);
  return typeof value === 'object' && value !== null ? Object.keys(value) : undefined;
}
