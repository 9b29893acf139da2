import { EntryReader } from './entry-reader.js';
import type { YamlEntry } from './yaml-tree.js';

/** Entries of one mapping, in the simple form that `findEntryRuns` reads, without the first and the last of the run. */
export interface EntryRun {
  /** The offset of the key of the first entry, which `entries` does not contain. */
  readonly before: number;
  /** The offset of the key of the last entry, which `entries` does not contain. */
  readonly after: number;
  /** The end of the last entry, behind its line. */
  readonly end: number;
  /** The lines of the entries, and the comments and blank lines around them. */
  readonly from: number;
  readonly to: number;
  readonly entries: readonly YamlEntry[];
  /** The offset of each comment between `from` and `to`. */
  readonly comments: readonly number[];
}

/** Shorter runs save nothing. */
const MIN_ENTRIES = 4;

/**
 * Finds runs of entries in the form that nearly all entries of policies have, such as `get_issue: { effect: read-only }`,
 * without the YAML parser, which takes about ten times as long.
 *
 * Each entry begins with its key, at the same column. No entry has a tag, an anchor, an alias, an escape, a tab, or a
 * value that is not a text or a whole number. So if the YAML parser finds the first and the last entry of a run next to
 * each other in one block mapping, it finds exactly these entries between them.
 *
 * @param text a text that may be YAML
 * @returns the runs, from the top of the text. Whether they are entries depends on the context: they can be lines of a
 *   block of text
 * @example
 * findEntryRuns(text).flatMap(({ entries }) => entries.map(({ name }) => name)); // ['get_issue', 'get_me']
 */
export function findEntryRuns(text: string): EntryRun[] {
  const reader = new EntryReader(text);
  const runs: EntryRun[] = [];
  while (reader.offset < text.length) {
    const start = reader.offset;
    const indent = reader.indent();
    const run = indent === 0 ? undefined : readRun(reader, indent);
    if (run !== undefined) runs.push(run);
    // The lines of a block below a key can be a run of their own.
    else reader.skipLine(start);
  }
  return runs;
}

/** Reads as many entries as possible. The reader is at the start of a line. */
function readRun(reader: EntryReader, indent: number): EntryRun | undefined {
  const read: { readonly entry: YamlEntry; readonly start: number; readonly end: number }[] = [];
  const comments: number[] = [];
  let gap: number[] = [];
  for (;;) {
    const start = reader.offset;
    if (reader.indent() === indent) {
      const found = reader.entry(indent);
      if (found === undefined) {
        reader.skipLine(start);
        break;
      }
      comments.push(...gap);
      gap = [];
      read.push({ entry: found.entry, start, end: reader.offset });
      if (found.comment !== undefined) comments.push(found.comment);
    } else {
      const comment = reader.commentLine(indent);
      if (comment !== undefined) gap.push(comment);
      else if (!reader.blankLine()) break;
    }
  }
  const [first, last] = [read[0], read.at(-1)];
  if (first === undefined || last === undefined || read.length < MIN_ENTRIES) return undefined;
  return {
    before: first.start + indent,
    after: last.start + indent,
    end: last.end,
    from: first.end,
    to: last.start,
    entries: read.slice(1, -1).map(({ entry }) => entry),
    comments: comments.filter((offset) => offset >= first.end && offset < last.start),
  };
}
