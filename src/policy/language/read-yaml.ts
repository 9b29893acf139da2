import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Finding, Place } from './findings.js';
import { parseYaml } from './parse-yaml.js';
import { type Problem, problem } from './problem.js';
import { LIMITS } from './schema.js';

/** One step into a document: a key of a mapping, or an index of a list. */
export type Path = readonly (string | number)[];

/** A comment of a file. */
export interface Comment {
  readonly text: string;
  readonly place: Place;
  /** Whether nothing else is on its line. */
  readonly alone: boolean;
}

/** A file that was read as YAML: its data, and the place of each part. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly data: unknown;
  /** Problems of the YAML itself. If they make the file unreadable, `data` is undefined. */
  readonly findings: readonly Finding[];
  /** The comments, from the top of the file. */
  readonly comments: readonly Comment[];
  /**
   * @param path the path of a part of the data
   * @param part whether to locate the key or the value at the end of the path, by default the value
   * @returns the place of the part or, if the part does not exist, the place of the nearest part above it
   */
  locate(path: Path, part?: 'key' | 'value'): Place;
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
  const broken = (offset: number, found: Problem): Source => ({
    file,
    text,
    data: undefined,
    findings: [errorAt(place(offset, offset + 1), found)],
    comments: [],
    locate: () => place(0, 1),
  });

  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LIMITS.fileBytes) {
    lines.addNewLine(0);
    return broken(0, problem('file-too-large', { bytes, limit: LIMITS.fileBytes }));
  }

  for (let start = 0; start !== -1; start = text.indexOf('\n', start) + 1 || -1) lines.addNewLine(start);
  const parsed = parseYaml(text, LIMITS.depth);
  if (parsed.tooDeepAt !== undefined)
    return broken(parsed.tooDeepAt, problem('bad-yaml.nested', { depth: LIMITS.depth }));
  const { document } = parsed;

  const problems = [...document.errors, ...document.warnings].slice(0, MAX_YAML_FINDINGS);
  const findings = problems.map((error) => yamlFinding(error, text, place));
  const { explicit, version } = document.directives?.yaml ?? {};
  if (explicit && version !== '1.2')
    findings.push(errorAt(place(0, 1), problem('bad-yaml.version', { version })));
  if (findings.length === 0) findings.push(...forbiddenParts(document, place));
  // Data with duplicate keys can still be checked. Data with an alias cannot: the alias could have any value.
  const readable = findings.every(({ code }) => code === 'duplicate');
  const comments = parsed.comments.map((offset): Comment => {
    const start = text.lastIndexOf('\n', offset) + 1;
    const content = /^[^\r\n]*/.exec(text.slice(offset))?.[0] ?? '';
    const alone = text.slice(start, offset).trim() === '';
    return { text: content, place: place(offset, offset + content.length), alone };
  });
  return {
    file,
    text,
    comments,
    data: readable ? parsed.data() : undefined,
    findings,
    locate: (path, part = 'value') => locate(document.contents, path, part, place),
  };
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
    return errorAt(place(at, from), problem('bad-yaml.pattern', { alias: alias[1] }));
  }
  return errorAt(
    place(from, to),
    problem('bad-yaml.parser', { problem: error.message.replace(/[\s.]+$/, '') }),
  );
}

const errorAt = (place: Place, { code, message }: Problem): Finding => ({
  ...place,
  code,
  severity: 'error',
  message,
});

function forbiddenParts(document: Document, place: MakePlace): Finding[] {
  const findings: Finding[] = [];
  const report = (node: unknown, found: Problem): void => {
    findings.push(errorAt(place(...rangeOf(node)), found));
  };
  visit(document, {
    Alias(_key, alias) {
      report(alias, problem('alias', { alias: alias.source }));
    },
    Map(_key, { items }) {
      const first = new Map<string, unknown>();
      for (const { key } of items) {
        const name = nameOf(key);
        if (name === undefined) continue;
        const earlier = first.get(name);
        if (earlier === undefined) first.set(name, key);
        else report(key, problem('duplicate.key', { name, ...place(...rangeOf(earlier)) }));
      }
    },
  });
  return findings;
}

/** The name of a key; `undefined` if the key is not a scalar. */
const nameOf = (key: unknown): string | undefined => (isScalar(key) ? String(key.value) : undefined);

/** The offsets of a part of a text: of its first character, and behind its last one. */
function rangeOf(node: unknown): [from: number, to: number] {
  const [from, to] = (isNode(node) ? node.range : undefined) ?? [0, 1];
  return [from, to];
}

/** Computes only the place at the end of the path: a policy has thousands of places. */
function locate(root: unknown, path: Path, part: 'key' | 'value', place: MakePlace): Place {
  let at = root;
  let found = root;
  path.forEach((step, depth) => {
    const last = depth === path.length - 1;
    if (isMap(at)) {
      const pair = pairsOf(at).get(String(step));
      found = (last && part === 'key' ? pair?.key : (pair?.value ?? pair?.key)) ?? found;
      at = pair?.value;
    } else {
      at = isSeq(at) ? at.items[Number(step)] : undefined;
      found = at ?? found;
    }
  });
  return place(...rangeOf(found));
}

const byName = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** The pairs of a mapping by key, cached: a search for each place would take seconds in a file of thousands of lines. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = byName.get(map);
  if (known !== undefined) return known;
  const found = new Map<string, Pair>();
  for (const pair of map.items) {
    const name = nameOf(pair.key);
    // Of duplicate keys, the first wins.
    if (name !== undefined && !found.has(name)) found.set(name, pair);
  }
  byName.set(map, found);
  return found;
}
