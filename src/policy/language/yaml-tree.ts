import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';

/** The offsets of a part of a text: of its first character, and behind its last one. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

export interface YamlScalar extends Extent {
  readonly kind: 'scalar';
  readonly value: unknown;
}

export interface YamlMap extends Extent {
  readonly kind: 'map';
  readonly entries: readonly YamlEntry[];
}

export interface YamlSeq extends Extent {
  readonly kind: 'seq';
  readonly items: readonly (YamlPart | undefined)[];
}

export interface YamlAlias extends Extent {
  readonly kind: 'alias';
  readonly source: string;
}

/** A part of a YAML text: what policies need of the nodes of the library, whose constructors take most of its time. */
export type YamlPart = YamlScalar | YamlMap | YamlSeq | YamlAlias;

/** A key of a mapping, and its value. */
export interface YamlEntry {
  /** The key as text; `undefined` if the key is not a scalar. */
  readonly name: string | undefined;
  readonly key: YamlPart | undefined;
  readonly value: YamlPart | undefined;
}

/**
 * Copies the nodes of the library into a tree.
 *
 * @param node a node of a document
 * @returns the tree; `undefined` if there is no node
 * @example
 * toTree(parseDocument('version: 1').contents)?.kind; // 'map'
 */
export function toTree(node: unknown): YamlPart | undefined {
  if (isScalar(node)) return { kind: 'scalar', ...extentOf(node), value: node.value };
  if (isAlias(node)) return { kind: 'alias', ...extentOf(node), source: node.source };
  if (isSeq(node)) return { kind: 'seq', ...extentOf(node), items: node.items.map(toTree) };
  return isMap(node) ? { kind: 'map', ...extentOf(node), entries: node.items.map(toEntry) } : undefined;
}

function toEntry(pair: Pair): YamlEntry {
  const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
  return { name, key: toTree(pair.key), value: toTree(pair.value) };
}

function extentOf({ range }: Node): Extent {
  const [from, to] = range ?? [0, 1];
  return { from, to };
}
