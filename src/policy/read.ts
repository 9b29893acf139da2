import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
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

  let document: Document;
  try {
    document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  } catch (cause) {
    // The parser is recursive: a file that nests some thousand levels deep ends its stack.
    const message = `The file cannot be read as YAML (${cause instanceof Error ? cause.message : String(cause)}); flatten it.`;
    lines.addNewLine(0);
    return broken([{ ...place(0, 1), code: 'bad-yaml', severity: 'error', message }]);
  }

  const findings = [...document.errors, ...document.warnings].map((error) => yamlFinding(error, place));
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

function yamlFinding(error: YAMLError, place: MakePlace): Finding {
  const [from, to] = error.pos;
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
      const pair: Pair | undefined = node.items.find((item) => keyOf(item) === String(step));
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

function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}

function placeOf(node: unknown, place: MakePlace): Place | undefined {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return undefined;
  return node.range ? place(node.range[0], node.range[1]) : undefined;
}
