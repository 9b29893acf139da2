import { isAlias, isCollection, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';

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
  /** Whether it is written in brackets. */
  readonly flow: boolean;
  readonly entries: YamlEntry[];
}

export interface YamlSeq extends Extent {
  readonly kind: 'seq';
  readonly flow: boolean;
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
  if (!isCollection(node)) return undefined;
  const flow = node.flow === true;
  if (isSeq(node)) return { kind: 'seq', ...extentOf(node), flow, items: node.items.map(toTree) };
  return isMap(node) ? { kind: 'map', ...extentOf(node), flow, entries: node.items.map(toEntry) } : undefined;
}

function toEntry(pair: Pair): YamlEntry {
  const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
  return { name, key: toTree(pair.key), value: toTree(pair.value) };
}

function extentOf({ range }: Node): Extent {
  const [from, to] = range ?? [0, 1];
  return { from, to };
}

/**
 * @param part a part of a text without aliases
 * @returns whether each key is a scalar, so that `toData` can read it
 */
export function hasOnlyScalarKeys(part: YamlPart | undefined): boolean {
  if (part?.kind === 'seq') return part.items.every(hasOnlyScalarKeys);
  return (
    part?.kind !== 'map' ||
    part.entries.every(({ name, value }) => name !== undefined && hasOnlyScalarKeys(value))
  );
}

/**
 * Returns the data of a part, as `toJS` of the library does.
 *
 * @param part a part of a text without aliases, with only scalar keys
 * @returns the data
 * @example
 * toData(toTree(parseDocument('version: 1').contents)); // { version: 1 }
 */
export function toData(part: YamlPart | undefined): unknown {
  if (part?.kind === 'scalar') return part.value;
  if (part?.kind === 'seq') return part.items.map(toData);
  if (part?.kind !== 'map') return null;
  const data: Record<string, unknown> = {};
  for (const { name = '', key, value } of part.entries) {
    const property = key?.kind === 'scalar' && key.value === null ? '' : name;
    if (property !== '__proto__') data[property] = toData(value);
    // An assignment would replace the prototype.
    else Object.defineProperty(data, property, { value: toData(value), ...OWN });
  }
  return data;
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;
