import { changedText, ExactNumber } from '../exact-json.js';
import { sha256Of } from '../sha256.js';
import { isObject } from './expression/evaluate.js';
import {
  type Change,
  IDENTITY,
  identityOf,
  type Mapping,
  mapPrimitive,
  type Primitive,
  type ServerCatalog,
} from './mapping.js';
import { byKind, type Kind, type Pins, type Policy } from './policy.js';
import { ownForm } from './servers/outside-names.js';
import { withUses } from './uses/map-tool.js';
import { usesOf } from './uses/tool-uses.js';
import { mapUse } from './uses/use-primitives.js';

/**
 * Computes the digest of a definition: of all that a model reads, that a person is shown, and that a policy may depend on. The
 * name is left out, so that a definition under another name is recognized. What changes with the content of a resource is left out, too. One of
 * several servers has the digests that it has alone.
 *
 * @param kind the kind of the primitive
 * @param primitive the primitive as the server lists it
 * @returns the first 32 hexadecimal digits of the SHA-256 of its JSON with sorted keys; an empty text, which no pin equals,
 *   if it nests too deeply
 * @example
 * definitionDigest('tools', { name: 'tree', description: 'Get a tree view.' });
 */
export function definitionDigest(kind: Kind, primitive: Primitive): string {
  const { [IDENTITY[kind]]: _identity, ...rest }: Primitive & { size?: unknown } = ownForm(kind, primitive);
  const text = sortedJson(kind === 'resources' ? withoutContent(rest) : rest);
  return text === undefined ? '' : sha256Of(text).slice(0, 32);
}

const withoutContent = ({ size: _size, annotations, ...rest }: Primitive & { size?: unknown }): object => ({
  ...rest,
  annotations: typeof annotations === 'object' ? { ...annotations, lastModified: undefined } : annotations,
});

/**
 * The same value has the same text, in whatever order a server lists the members of objects. RFC 8785 sorts in the same way;
 * it differs only in keys that are numbers. A number that JavaScript cannot hold has its own text; one that only looks different,
 * as `1.0` does, has the text that JavaScript gives it. Every version of Node.js returns the same.
 *
 * @returns `undefined` if the value nests too deeply, or is itself undefined
 * @example
 * sortedJson({ b: 1, a: 2 }); // '{"a":2,"b":1}'
 */
export function sortedJson(value: unknown): string | undefined {
  let hasTexts = false;
  // `this` has the number itself: a replacer gets what `toJSON` made of it.
  const text = jsonOf(value, function (this: unknown, key, each) {
    const given = readField(this, key);
    if (given instanceof ExactNumber) {
      const changed = changedText(given);
      hasTexts ||= changed !== undefined;
      return changed === undefined ? given.valueOf() : `\u0000${changed}`;
    }
    return isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each;
  });
  return hasTexts ? text?.replace(/"\\u0000([-+.\deE]+)"/g, '$1') : text;
}

/** Replaces a value while an object that has it is written. */
type Replacer = (this: unknown, key: string, value: unknown) => unknown;

const readField = (from: unknown, key: string): unknown =>
  typeof from === 'object' && from !== null ? Reflect.get(from, key) : undefined;

function jsonOf(value: unknown, replacer?: Replacer): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return undefined;
  }
}

/**
 * Compares a definition with the pinned one.
 *
 * @param policy the policy
 * @param kind the kind of the primitive
 * @param primitive the primitive as the server lists it
 * @returns how it differs; `undefined` if it does not, or if the policy pins nothing
 * @example
 * changeOf(policy, 'tools', { name: 'tree', description: 'Rid a tree view.' }); // 'changed'
 */
export function changeOf({ pins }: Policy, kind: Kind, primitive: Primitive): Change | undefined {
  if (pins === undefined) return undefined;
  const identity = identityOf(kind, primitive);
  const pinned = pins.digests[kind].get(identity);
  if (pinned === undefined) return 'new';
  const texts = matched.get(pins.digests[kind]) ?? new Map<string, string>();
  const text = jsonOf(primitive);
  if (text !== undefined && texts.get(identity) === text) return undefined;
  if (pinned !== definitionDigest(kind, primitive) && pinned !== roundedDigest(kind, primitive))
    return 'changed';
  if (text !== undefined) matched.set(pins.digests[kind], texts.set(identity, text));
  return undefined;
}

/**
 * Pins of earlier versions have the numbers that JavaScript made of those of the server. Only such a pin can equal this digest
 * and not the other one.
 */
function roundedDigest(kind: Kind, primitive: Primitive): string | undefined {
  const text = jsonOf(primitive, function (this: unknown, key, each) {
    const given = readField(this, key);
    return given instanceof ExactNumber ? given.valueOf() : each;
  });
  return text === undefined ? undefined : definitionDigest(kind, JSON.parse(text));
}

/**
 * For each pin, the JSON of the definition that had it last. An endpoint that makes a server for each request is told the same
 * definitions for each: comparing the texts of 1,000 takes 3 ms, computing their digests 15.
 */
const matched = new WeakMap<object, Map<string, string>>();

/**
 * Maps a primitive that a server lists, and compares its definition with the pinned one.
 *
 * @param policy the policy
 * @param kind the kind of the primitive
 * @param primitive the primitive as the server lists it, with its whole definition
 * @returns what the policy says about it
 * @example
 * mapListed(policy, 'tools', tool).change; // 'changed'
 */
export function mapListed(policy: Policy, kind: Kind, primitive: Primitive): Mapping {
  const use = mapUse(policy, primitive, (tool) => mapListed(policy, kind, tool));
  if (use !== undefined) return use;
  const mapping = { ...mapPrimitive(policy, kind, primitive), change: changeOf(policy, kind, primitive) };
  return kind === 'tools' ? withUses(usesOf(policy, primitive), mapping) : mapping;
}

/**
 * Computes the pins of a catalog.
 *
 * @param catalog everything that the server lists, with descriptions and schemas
 * @returns the digest of each definition
 * @example
 * pinsOf({ tools: [{ name: 'tree', description: 'Get a tree view.' }] }).tools.tree;
 */
export const pinsOf = (catalog: ServerCatalog): Pins =>
  byKind((kind) =>
    Object.fromEntries(
      (catalog[kind] ?? []).map((each) => [identityOf(kind, each), definitionDigest(kind, each)]),
    ),
  );
