import { Composer, type Document, isMap, isScalar, isSeq, Lexer, type Pair, Parser, YAMLParseError } from 'yaml';
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
  // Errors can be anywhere behind their cause, and a directive can change what an entry means.
  const isPlain =
    rest.document !== undefined &&
    rest.document.errors.length === 0 &&
    rest.document.warnings.length === 0 &&
    rest.document.directives?.yaml.explicit !== true;
  if (!isPlain || !insertRuns(rest.document.contents, runs)) return parseWhole(text);
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

/** @returns whether each run belongs into a block mapping, between two entries that are next to each other */
function insertRuns(contents: unknown, runs: readonly EntryRun[]): boolean {
  const left = new Map(runs.map((run) => [run.before, run]));
  const insert = (node: unknown): void => {
    if (isSeq(node)) node.items.forEach(insert);
    if (!isMap(node)) return;
    const { items } = node;
    for (const { key, value } of items) {
      insert(key);
      insert(value);
    }
    if (node.flow === true || left.size === 0) return;
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
