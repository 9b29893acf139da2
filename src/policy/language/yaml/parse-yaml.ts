import { Composer, type Document, Lexer, Parser, YAMLParseError } from 'yaml';
import { type EntryRun, findEntryRuns } from './entry-runs.js';
import { hasOnlyScalarKeys, toData, toTree, type YamlEntry, type YamlPart } from './yaml-tree.js';

/** A text that was parsed. */
export interface ParsedYaml {
  /** The errors, warnings and directives. Its nodes can be incomplete: read `root`. */
  readonly document: Document;
  readonly root: YamlPart | undefined;
  /** Returns the data of a text without errors and aliases. */
  readonly data: () => unknown;
  /** The offset of each comment. */
  readonly comments: readonly number[];
}

/** A text that is nested too deeply to be parsed. */
export interface TooDeep {
  readonly document?: undefined;
  readonly data?: undefined;
  /** The offset where the nesting exceeds the limit. */
  readonly offset: number;
}

/**
 * Parses a text. It reads runs of simple entries itself and gives the YAML parser only the rest, with spaces in their
 * place. The tree, the errors and the comments are the same as those of `parseWhole`.
 *
 * @param text the text of a file
 * @param maxDepth the number of levels that the text may have, at least 100
 * @returns what it contains, or where it is nested too deeply
 * @example
 * parseYaml('version: 1', 256).data?.(); // { version: 1 }
 */
export function parseYaml(text: string, maxDepth: number): ParsedYaml | TooDeep {
  const runs = findEntryRuns(text);
  if (runs.length === 0) return parseWhole(text, maxDepth);
  const rest = parseWhole(withoutRuns(text, runs), maxDepth);
  if (rest.document === undefined || !fits(rest, runs)) return parseWhole(text, maxDepth);
  const comments = [...rest.comments, ...runs.flatMap((run) => run.comments)].sort((a, b) => a - b);
  return { ...rest, comments };
}

/**
 * Parses a text with the YAML parser alone. The composer is recursive, and a stack overflow within a RegExp ends the
 * process, so the depth is limited while the tokens arrive: the parser of tokens is not recursive.
 *
 * @param text the text of a file
 * @param maxDepth the number of levels that the text may have, at least 100
 * @returns what it contains, or where it is nested too deeply
 * @example
 * parseWhole('version: 1', 256).data?.(); // { version: 1 }
 */
export function parseWhole(text: string, maxDepth: number): ParsedYaml | TooDeep {
  const parser = new Parser();
  const tokens = [];
  const comments: number[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    // A quoted text begins with its quote, and a block of text with its indentation, so this is a comment.
    if (lexeme.startsWith('#')) comments.push(parser.offset);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxDepth) return { offset: parser.offset };
  }
  tokens.push(...parser.end());
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, resolveKnownTags: false });
  const [document, more] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new TypeError('The composer always creates a document.');
  if (more !== undefined) {
    const message = 'A policy must be a single YAML document. Remove everything after "---".';
    document.errors.push(new YAMLParseError([more.range[0], more.range[0] + 1], 'MULTIPLE_DOCS', message));
  }
  const root = toTree(document.contents);
  // The library writes a key that is not a scalar as YAML.
  const data = () => (hasOnlyScalarKeys(root) ? toData(root) : document.toJS({ maxAliasCount: 0 }));
  return { document, root, data, comments };
}

/** Replaces runs by spaces, so that everything else keeps its offset. */
function withoutRuns(text: string, runs: readonly EntryRun[]): string {
  let rest = '';
  let end = 0;
  for (const { from, to } of runs) {
    rest += `${text.slice(end, from)}${' '.repeat(to - from - 1)}\n`;
    end = to;
  }
  return rest + text.slice(end);
}

/** With more errors than this, the whole text is parsed: each error is compared with each run. */
const MAX_ERRORS = 100;

/**
 * Inserts the entries of runs into the tree of the rest. The parser handles each entry of a run as it handles the last
 * one, which also follows a simple entry. So it is enough to look at the first entry and the last one.
 *
 * @returns whether this gives the tree of the whole text
 */
function fits({ document, root }: ParsedYaml, runs: readonly EntryRun[]): boolean {
  const { directives, errors, warnings } = document;
  // A directive can change what an entry means.
  if (directives?.yaml.explicit === true || errors.length + warnings.length > MAX_ERRORS) return false;
  const offsets = [...errors, ...warnings].map(({ pos: [offset] }) => offset);
  const isCertain = ({ before, end, entries }: EntryRun): boolean =>
    offsets.every((offset) => offset >= end) ||
    // Behind an error, a text without brackets or quotes can continue on the next line.
    (entries.every(({ value }) => isFlow(value)) &&
      offsets.every((offset) => offset <= before || offset >= end));
  return hasOnlyScalarKeys(root) && runs.every(isCertain) && insertRuns(root, runs);
}

const isFlow = (part: YamlPart | undefined): boolean => part !== undefined && 'flow' in part && part.flow;

/** @returns whether each run belongs into a block mapping, between two entries that are next to each other */
function insertRuns(root: YamlPart | undefined, runs: readonly EntryRun[]): boolean {
  const left = new Map(runs.map((run) => [run.before, run]));
  const insert = (part: YamlPart | undefined): void => {
    // In brackets, entries have another meaning.
    if (left.size === 0 || isFlow(part)) return;
    if (part?.kind === 'seq') part.items.forEach(insert);
    if (part?.kind !== 'map') return;
    const { entries } = part;
    for (const { value } of entries) insert(value);
    const complete = entries.flatMap((entry, index): readonly YamlEntry[] => {
      const run = entry.key && left.get(entry.key.from);
      if (run === undefined || entries[index + 1]?.key?.from !== run.after) return [entry];
      left.delete(run.before);
      return [entry, ...run.entries];
    });
    if (complete.length > entries.length) entries.splice(0, entries.length, ...complete);
  };
  insert(root);
  return left.size === 0;
}
