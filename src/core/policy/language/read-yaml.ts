import {
  Composer,
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  type ParsedNode,
  Parser,
  visit,
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { groupBy } from '../../once.js';
import type { Finding, Place } from './findings.js';
import { findingAt, fixableFinding, type Problem, problem } from './problem.js';
import { LIMITS } from './schema.js';
import { toQuotedYaml } from './yaml-scalars.js';

/** One step into a document: a key of a mapping, or an index of a list. */
export type Path = readonly (string | number)[];

/** A comment of a file. */
export interface Comment {
  readonly text: string;
  readonly place: Place;
  /** Whether nothing else is on its line. */
  readonly alone: boolean;
}

/** The data of a file, and the place of each part. */
export interface Located {
  readonly data: unknown;
  /**
   * @param path the path of a part of the data
   * @param part whether to locate the key or the value at the end of the path, by default the value
   * @returns the place of the part or, if the part does not exist, the place of the nearest part above it
   */
  locate(path: Path, part?: 'key' | 'value'): Place;
  /** Returns the data without some parts of it. Later items of a list move up, and are found in their new places. */
  without(paths: readonly Path[]): Located;
}

/** A file that was read as YAML: its data, and the place of each part. */
export interface Source extends Located {
  readonly file: string;
  readonly text: string;
  /** Problems of the YAML itself. If they make the file unreadable, `data` is undefined. */
  readonly findings: readonly Finding[];
  /** The comments, from the top of the file. */
  readonly comments: readonly Comment[];
}

/**
 * Reads YAML 1.2 and keeps the position of every part.
 *
 * Aliases, custom tags and duplicate keys are findings. Aliases and tags give a policy a meaning that a reader does not
 * see, and of two entries with the same key one would silently disappear.
 *
 * @param text the text of the file
 * @param file the name of the file, as findings show it
 * @returns the data, the findings, and a function that locates parts of the data
 * @example
 * readPolicyText('version: 1', 'policy.yaml').data; // { version: 1 }
 */
export function readPolicyText(text: string, file: string): Source {
  const lines = new LineCounter();
  const place = (from: number, to: number): Place => {
    const { line, col } = lines.linePos(from);
    return { file, line, column: col, length: Math.max(1, to - from) };
  };
  const unread = { data: undefined, locate: () => place(0, 1), without: () => unread };
  const broken = (offset: number, found: Problem): Source => ({
    file,
    text,
    findings: [findingAt(place(offset, offset + 1), 'error', found)],
    comments: [],
    ...unread,
  });

  const bytes = new TextEncoder().encode(text).length;
  for (let start = 0; start !== -1; start = text.indexOf('\n', start) + 1 || -1) lines.addNewLine(start);
  if (bytes > LIMITS.fileBytes)
    return broken(0, problem('file-too-large', { bytes, limit: LIMITS.fileBytes }));
  const compiled = COMPILED.exec(text)?.[1];
  if (compiled !== undefined) return broken(0, problem('bad-yaml.compiled', { files: compiled }));
  const parsed = parseYaml(text, LIMITS.depth);
  if (parsed.tooDeepAt !== undefined)
    return broken(parsed.tooDeepAt, problem('bad-yaml.nested', { depth: LIMITS.depth }));
  const { document } = parsed;

  const problems = [...document.errors, ...document.warnings].slice(0, MAX_YAML_FINDINGS);
  const findings = problems.map((error) => yamlFinding(error, text, place));
  const { explicit, version } = document.directives?.yaml ?? {};
  if (explicit && version !== '1.2')
    findings.push(findingAt(place(0, 1), 'error', problem('bad-yaml.version', { version })));
  if (findings.length === 0) findings.push(...forbiddenParts(document, text, place));
  // Data with duplicate keys can still be checked. Data with an alias cannot: the alias could have any value.
  const readable = findings.every(({ code }) => code === 'duplicate' || code === 'unquoted');
  const comments = parsed.comments.map((offset): Comment => {
    const start = text.lastIndexOf('\n', offset) + 1;
    const content = /^[^\r\n]*/.exec(text.slice(offset))?.[0] ?? '';
    const alone = text.slice(start, offset).trim() === '';
    return { text: content, place: place(offset, offset + content.length), alone };
  });
  return { file, text, comments, findings, ...located(document, place, readable) };
}

/** How a compiled policy begins. Each of its members would be a finding. */
const COMPILED =
  /^\{"format":\d+,"digest":"[0-9a-f]{32}",(?:"label":"(?:[^"\\]|\\.)*",)?"files":\[((?:"(?:[^"\\]|\\.)*",?)*)\]/;

/** What a text contains, or where it is nested too deeply. */
export type ParsedYaml =
  | { readonly tooDeepAt: number; readonly document?: never; readonly comments?: never }
  | {
      readonly tooDeepAt?: never;
      /** With the errors, warnings and directives. */
      readonly document: Document.Parsed<ParsedNode>;
      /** The offset of each comment. */
      readonly comments: readonly number[];
    };

/**
 * Parses a text. The composer is recursive, and a stack overflow within a RegExp ends the
 * process, so the depth is limited while the tokens arrive: the parser of tokens is not recursive.
 *
 * @param text the text of a file
 * @param maxDepth the number of levels that the text may have, at least 100
 * @returns what it contains, or where it is nested too deeply
 * @example
 * parseYaml('version: 1', 256).document?.toJS(); // { version: 1 }
 */
export function parseYaml(text: string, maxDepth: number): ParsedYaml {
  const parser = new Parser();
  const tokens = [];
  const comments: number[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    // A quoted text begins with its quote, and a block of text with its indentation, so this is a comment.
    if (lexeme.startsWith('#')) comments.push(parser.offset);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxDepth) return { tooDeepAt: parser.offset };
  }
  tokens.push(...parser.end());
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, resolveKnownTags: false });
  const [document, more] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new TypeError('The composer always creates a document.');
  if (more !== undefined) {
    const { message } = problem('bad-yaml.documents', {});
    document.errors.push(new YAMLParseError([more.range[0], more.range[0] + 1], 'MULTIPLE_DOCS', message));
  }
  return { document, comments };
}

type MakePlace = (from: number, to: number) => Place;

/** A limit, because one mistake can cause an error at every character after it. */
const MAX_YAML_FINDINGS = 100;

function yamlFinding(error: YAMLError, text: string, place: MakePlace): Finding {
  const [from, to] = error.pos;
  const start = text.lastIndexOf('\n', from) + 1;
  const alias = /^ *(?:- )?(\*[^ ]*?):/.exec(text.slice(start, from + 1));
  if (error.code === 'BAD_ALIAS' && alias) {
    const at = start + alias[0].indexOf('*');
    return findingAt(place(at, from), 'error', problem('bad-yaml.pattern', { alias: alias[1] }));
  }
  const found = problem('bad-yaml.parser', { problem: error.message.replace(/[\s.]+$/, '') });
  return findingAt(place(from, to), 'error', found);
}

function forbiddenParts(document: Document, text: string, place: MakePlace): Finding[] {
  const findings: Finding[] = [];
  const report = (node: unknown, found: Problem): void => {
    findings.push(findingAt(place(...rangeOf(node)), 'error', found));
  };
  visit(document, {
    Alias(_key, alias) {
      report(alias, problem('alias', { alias: alias.source }));
    },
    Map(_key, map) {
      for (const { key } of map.items) {
        const found = unquotedKey(key);
        if (found !== undefined)
          findings.push(fixableFinding({ text }, place(...rangeOf(key)), 'error', found));
      }
      for (const [name, [first, ...others]] of pairsOf(map)) {
        if (name === undefined) continue;
        const earlier = place(...rangeOf(first.key));
        for (const { key } of others) report(key, problem('duplicate.key', { name, ...earlier }));
      }
    },
  });
  return findings;
}

/** A key that YAML reads as something else than the name that is written there: 007 is 7, and 1e3 is 1000. */
function unquotedKey(key: unknown): Problem | undefined {
  if (!isScalar(key) || typeof key.value === 'string' || key.source === undefined) return undefined;
  if (key.value !== null && String(key.value) === key.source) return undefined;
  const found =
    key.value === null ? 'This key is null' : `${key.source} is the ${typeof key.value} ${key.value}`;
  return problem(
    'unquoted.text',
    { found, text: key.source },
    { scalar: key.source, yaml: toQuotedYaml(key.source) },
  );
}

/** The offsets of a part of a text: of its first character, and behind its last one. */
function rangeOf(node: unknown): [from: number, to: number] {
  const [from, to] = (isNode(node) ? node.range : undefined) ?? [0, 1];
  return [from, to];
}

/** The data of a document, if it is readable. Places are computed one by one: a policy has thousands. */
const located = (document: Document, place: MakePlace, isReadable = true): Located => ({
  data: isReadable ? document.toJS({ maxAliasCount: 0 }) : undefined,
  locate: (path, part = 'value') => place(...rangeOf(nodeAt(document.contents, path, part))),
  without: (paths) => {
    const copy = document.clone();
    const removed = new Set(paths.flatMap((path) => partsAt(copy.contents, path)));
    visit(copy, (_key, part) => (removed.has(part) ? visit.REMOVE : undefined));
    return located(copy, place);
  },
});

function nodeAt(root: unknown, path: Path, part: 'key' | 'value'): unknown {
  const [found] = partsAt(root, path);
  if (isPair(found)) return part === 'key' ? found.key : (found.value ?? found.key);
  return found === undefined && path.length > 0 ? nodeAt(root, path.slice(0, -1), 'value') : found;
}

/** The part at a path: the pair of a key, with others if the key is defined twice, or the item of a list. */
function partsAt(root: unknown, path: Path): readonly unknown[] {
  let parts: readonly unknown[] = [root];
  for (const step of path) {
    const at = isPair(parts[0]) ? parts[0].value : parts[0];
    if (isMap(at)) parts = pairsOf(at).get(String(step)) ?? [];
    else parts = isSeq(at) ? at.items.slice(Number(step), Number(step) + 1) : [];
  }
  return parts;
}

const byName = new WeakMap<YAMLMap, ReturnType<typeof pairsOf>>();

/** The pairs of a mapping by key, cached: a search for each place would take seconds in a file of thousands of lines. */
function pairsOf(map: YAMLMap): ReadonlyMap<string | undefined, readonly [Pair, ...Pair[]]> {
  const pairs =
    byName.get(map) ?? groupBy(map.items, ({ key }) => (isScalar(key) ? String(key.value) : undefined));
  byName.set(map, pairs);
  return pairs;
}
