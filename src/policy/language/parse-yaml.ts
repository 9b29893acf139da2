import {
  Composer,
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  YAMLParseError,
} from 'yaml';
import { type EntryRun, findEntryRuns } from './entry-runs.js';
import { LIMITS } from './schema.js';

/** A text that was parsed: its document, and the offset of each comment. */
export interface ParsedYaml {
  readonly document: Document;
  readonly comments: readonly number[];
}

/** A text that is nested too deeply to be parsed. */
export interface TooDeep {
  readonly document?: undefined;
  /** The offset where the nesting exceeds the limit. */
  readonly offset: number;
}

/**
 * Parses a text. It reads runs of simple entries itself and gives the YAML parser only the rest, with spaces in their
 * place. The nodes, their ranges and the errors are the same as those of `parseWhole`.
 *
 * @param text the text of a file
 * @returns the document, or where the text is nested too deeply
 * @example
 * parseYaml('version: 1').document?.toJS(); // { version: 1 }
 */
export function parseYaml(text: string): ParsedYaml | TooDeep {
  const runs = findEntryRuns(text);
  if (runs.length === 0) return parseWhole(text);
  const rest = parseWhole(withoutRuns(text, runs));
  if (rest.document === undefined || !fits(rest.document, runs)) return parseWhole(text);
  const comments = [...rest.comments, ...runs.flatMap((run) => run.comments)].sort((a, b) => a - b);
  return { document: rest.document, comments };
}

/**
 * Parses a text with the YAML parser alone. The composer is recursive, and a stack overflow within a RegExp ends the
 * process, so the depth is limited while the tokens arrive: the parser of tokens is not recursive.
 *
 * @param text the text of a file
 * @returns the document, or where the text is nested too deeply
 * @example
 * parseWhole('version: 1').document?.toJS(); // { version: 1 }
 */
export function parseWhole(text: string): ParsedYaml | TooDeep {
  const parser = new Parser();
  const tokens = [];
  const comments: number[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    // A quoted text begins with its quote, and a block of text with its indentation, so this is a comment.
    if (lexeme.startsWith('#')) comments.push(parser.offset);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > LIMITS.depth) return { offset: parser.offset };
  }
  tokens.push(...parser.end());
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, resolveKnownTags: false });
  const [document, more] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new TypeError('The composer always creates a document.');
  if (more !== undefined) {
    const message = 'A policy must be a single YAML document. Remove everything after "---".';
    document.errors.push(new YAMLParseError([more.range[0], more.range[0] + 1], 'MULTIPLE_DOCS', message));
  }
  return { document, comments };
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
 * Inserts the pairs of runs into the document of the rest. The parser handles each entry of a run as it handles the last
 * one, which also follows a simple entry. So it is enough to look at the first entry and the last one.
 *
 * @returns whether this gives the document of the whole text
 */
function fits({ contents, directives, errors, warnings }: Document, runs: readonly EntryRun[]): boolean {
  // A directive can change what an entry means.
  if (directives?.yaml.explicit === true || errors.length + warnings.length > MAX_ERRORS) return false;
  const offsets = [...errors, ...warnings].map(({ pos: [offset] }) => offset);
  const isCertain = ({ before, end, pairs }: EntryRun): boolean =>
    offsets.length === 0 ||
    // Behind an error, a text without brackets or quotes can continue on the next line.
    (pairs.every(({ value }) => isCollection(value) && value.flow === true) &&
      !offsets.some((offset) => offset > before && offset < end));
  return runs.every(isCertain) && insertRuns(contents, runs);
}

/** @returns whether each run belongs into a block mapping, between two entries that are next to each other */
function insertRuns(contents: unknown, runs: readonly EntryRun[]): boolean {
  const left = new Map(runs.map((run) => [run.before, run]));
  const insert = (node: unknown): void => {
    // In brackets, and in a mapping that is a key, entries have another meaning.
    if (left.size === 0 || !isCollection(node) || node.flow === true) return;
    if (isSeq(node)) node.items.forEach(insert);
    if (!isMap(node)) return;
    const { items } = node;
    for (const { value } of items) insert(value);
    node.items = items.flatMap((pair, index) => {
      const start = startOf(pair);
      const run = start === undefined ? undefined : left.get(start);
      if (run === undefined || startOf(items[index + 1]) !== run.after) return [pair];
      left.delete(run.before);
      return [pair, ...run.pairs];
    });
  };
  insert(contents);
  return left.size === 0;
}

const startOf = (pair: Pair | undefined): number | undefined =>
  isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
