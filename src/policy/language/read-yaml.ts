import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import type { Finding, Place } from './findings.js';
import { LIMITS } from './schema.js';

/** One step into a document: a key of a mapping, or an index of a list. */
export type Path = readonly (string | number)[];

/** A policy file that was read: its data, and where each part of it stands. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly data: unknown;
  /** Problems of the YAML itself; `data` is undefined where it could not be read for them. */
  readonly findings: readonly Finding[];
  /**
   * @param path the path of a part of the data
   * @param what whether the key or the value at the end of the path is meant
   * @returns its place; the place of the nearest part above it where there is none
   */
  locate(path: Path, what?: 'key' | 'value'): Place;
}

/**
 * Reads YAML 1.2 with the position of everything in it.
 *
 * Aliases, tags of one's own and keys that are written twice are findings: the first two make a policy say something
 * else than what a reader sees, the last makes one of two entries silently disappear.
 *
 * @param text the file's text
 * @param file the file's name, as findings should show it
 * @returns the data, or findings
 * @example
 * readPolicyText('version: 1', 'policy.yaml').data; // { version: 1 }
 */
export function readPolicyText(text: string, file: string): Source {
  const lines = new LineCounter();
  const place = (from: number, to: number): Place => {
    const { line, col } = lines.linePos(from);
    return { file, line, column: col, length: Math.max(1, to - from) };
  };
  const broken = (findings: Finding[]): Source => ({
    file,
    text,
    data: undefined,
    findings,
    locate: () => place(0, 1),
  });

  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.fileBytes) {
    lines.addNewLine(0);
    const message = `The file has ${bytes} bytes, more than the ${LIMITS.fileBytes} that a policy may have; split it and use include.`;
    return broken([{ ...place(0, 1), code: 'file-too-large', severity: 'error', message }]);
  }

  const document = parse(text, lines);
  if (typeof document === 'number') {
    const message = `The file nests deeper than ${LIMITS.depth} levels; flatten it.`;
    return broken([{ ...place(document, document + 1), code: 'bad-yaml', severity: 'error', message }]);
  }

  const problems = [...document.errors, ...document.warnings].slice(0, MAX_YAML_FINDINGS);
  const findings = problems.map((error) => yamlFinding(error, text, place));
  const { explicit, version } = document.directives?.yaml ?? {};
  if (explicit && version !== '1.2') {
    const message = `A policy is YAML 1.2; take the directive for YAML ${version} out.`;
    findings.push({ ...place(0, 1), code: 'bad-yaml', severity: 'error', message });
  }
  if (findings.length === 0) findings.push(...forbiddenNodes(document, place));
  // A key that is written twice leaves data to check on; an alias could stand for anything.
  const readable = findings.every(({ code }) => code === 'duplicate');
  return {
    file,
    text,
    data: readable ? document.toJS({ maxAliasCount: 0 }) : undefined,
    findings,
    locate: (path, what = 'value') => locate(document, path, what, place),
  };
}

type MakePlace = (from: number, to: number) => Place;

/** One mistake can make an error of every character after it. */
const MAX_YAML_FINDINGS = 100;

/**
 * Composing is recursive, and a stack that ends within a RegExp ends the process. So the depth is watched while the
 * tokens come, which is not.
 *
 * @returns the document, or the offset at which it nests too deep
 */
function parse(text: string, lines: LineCounter): Document | number {
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > LIMITS.depth) return parser.offset;
  }
  tokens.push(...parser.end());
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, resolveKnownTags: false });
  const [document, more] = composer.compose(tokens, true, text.length);
  const found = document as Document;
  if (more !== undefined) {
    const message = 'A policy is one document; take what follows "---" out.';
    found.errors.push(new YAMLParseError([more.range[0], more.range[0] + 1], 'MULTIPLE_DOCS', message));
  }
  return found;
}

function yamlFinding(error: YAMLError, text: string, place: MakePlace): Finding {
  const [from, to] = error.pos;
  const start = text.lastIndexOf('\n', from) + 1;
  const alias = /^ *(?:- )?(\*[^ ]*?):/.exec(text.slice(start, from + 1));
  if (error.code === 'BAD_ALIAS' && alias) {
    const at = start + alias[0].indexOf('*');
    const message = `A pattern that begins with "*" is an alias in YAML; put it in quotes: "${alias[1]}".`;
    return { ...place(at, from), code: 'bad-yaml', severity: 'error', message };
  }
  const message = `${error.message.replace(/[\s.]+$/, '')}.`;
  return { ...place(from, to), code: 'bad-yaml', severity: 'error', message };
}

function forbiddenNodes(document: Document, place: MakePlace): Finding[] {
  const findings: Finding[] = [];
  visit(document, {
    Alias(_key, { source, range }) {
      const message = `"*${source}" is a YAML alias, which policies do not use; put a pattern that begins with "*" in quotes.`;
      findings.push({
        ...place(range?.[0] ?? 0, range?.[1] ?? 1),
        code: 'alias',
        severity: 'error',
        message,
      });
      return undefined;
    },
    Map(_key, map) {
      const first = new Map<string, Place>();
      for (const pair of map.items) {
        const name = keyOf(pair);
        const here = placeOf(pair.key as Node | null, place);
        if (name === undefined || here === undefined) continue;
        const earlier = first.get(name);
        if (earlier === undefined) first.set(name, here);
        else {
          const message = `"${name}" is written twice, here and in line ${earlier.line}:${earlier.column}; keep one.`;
          findings.push({ ...here, code: 'duplicate', severity: 'error', message });
        }
      }
    },
  });
  return findings;
}

function locate(document: Document, path: Path, what: 'key' | 'value', place: MakePlace): Place {
  let node: unknown = document.contents;
  let found = placeOf(node, place) ?? place(0, 1);
  path.forEach((step, depth) => {
    const last = depth === path.length - 1;
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(step));
      if (pair === undefined) {
        node = undefined;
        return;
      }
      const key = placeOf(pair.key, place);
      found = (last && what === 'key' ? key : (placeOf(pair.value, place) ?? key)) ?? found;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      found = placeOf(node, place) ?? found;
    } else {
      node = undefined;
    }
  });
  return found;
}

const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** The pairs of a mapping by their keys; searched for each place, a file of thousands of lines takes seconds. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  let found = pairs.get(map);
  if (found === undefined) {
    const all = map.items.flatMap((pair): [string, Pair][] => {
      const key = keyOf(pair);
      return key === undefined ? [] : [[key, pair]];
    });
    // The first of several wins.
    found = new Map(all.reverse());
    pairs.set(map, found);
  }
  return found;
}

function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}

function placeOf(node: unknown, place: MakePlace): Place | undefined {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return undefined;
  return node.range ? place(node.range[0], node.range[1]) : undefined;
}
