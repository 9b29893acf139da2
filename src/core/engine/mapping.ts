import { numberOf } from '../exact-json.js';
import type { Configuration } from './effective.js';
import { isTruthy, pathReader, readOwn as readField } from './expression/evaluate.js';
import { type Assignment, type Concern, KINDS, type Kind, type Policy, type Values } from './policy.js';
import { isMinted, ownNames, serverOf } from './servers/outside-names.js';

/** A primitive as a server lists it. Only these fields are read. */
export interface Primitive {
  readonly name?: unknown;
  readonly uri?: unknown;
  readonly uriTemplate?: unknown;
  readonly _meta?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly mimeType?: unknown;
  readonly annotations?: unknown;
  readonly tags?: unknown;
  readonly execution?: unknown;
  readonly icons?: unknown;
}

/** The fields of a primitive that rules can read. All of them are own properties, or there is none. */
export type Readable = Readonly<Record<string, unknown>>;

/** Everything that one server lists, or what a catalog file keeps of it. */
export type ServerCatalog = { readonly [K in Kind]?: readonly Primitive[] | undefined };

/** A primitive's values for one concern, in the numbers of `Assignment`, and where they were written. */
export interface Offer {
  readonly offered: readonly number[];
  readonly source: string;
}

/** How the definition of a primitive differs from the pinned one: it is another one, or nobody has pinned it. */
export type Change = 'changed' | 'new';

/** Everything that a policy says about one primitive. */
export interface Mapping {
  readonly kind: Kind;
  /** Set if the policy pins definitions, and this one is not the pinned one. */
  readonly change?: Change | undefined;
  /** Whether an entry, a pattern or an `assign` is about it. What the server says about itself shows nothing. */
  readonly mapped: boolean;
  /** One item per concern of the policy; `undefined` if the primitive has no value for it. */
  readonly offers: readonly (Offer | undefined)[];
  /** Values in the primitive's own `_meta.concerns` that the policy does not declare. */
  readonly unknown: readonly string[];
  readonly primitive: Readable;
  /** The values of the policy's slots for this primitive. */
  readonly slots: readonly unknown[];
  /** Of a use: its name. */
  readonly use?: string;
  /** Of a use: the argument that it is about, and what the call sends. A rule about another argument does not apply. */
  readonly argument?: string;
  readonly arguments?: Readable;
  /** Of a use: its tool, if that is decided too. It hides its uses. */
  readonly tool?: Mapping;
  /** Of a tool with arguments that the policy is about: the one of which nothing is left, so that no call is. */
  readonly impossible?: (configuration: Configuration) => string | undefined;
  /** Of such a tool: for each argument the ways to use it, as lists of uses that must all be shown. Each call uses it in one way. */
  readonly alternatives?: () => readonly (readonly (readonly Mapping[])[])[];
}

/** Returns what rules read of a primitive, or of a use of a tool. */
export const ruleFacts = (
  mapping: Pick<Mapping, 'primitive' | 'arguments'>,
): { readonly primitive: Readable; readonly arguments: Readable | undefined } => ({
  primitive: mapping.primitive,
  arguments: mapping.arguments,
});

/** Returns all mappings that a decision depends on: of a use also that of its tool, of a tool also those of its uses. */
export function involvedIn(mapping: Mapping): readonly Mapping[] {
  const { tool, alternatives } = mapping;
  const uses = alternatives?.().flat(2) ?? [];
  return [mapping, ...uses, ...(tool === undefined ? [] : involvedIn(tool))];
}

/** How a primitive of each kind is identified in policies and requests. */
export const IDENTITY: Readonly<Record<Kind, 'name' | 'uri' | 'uriTemplate'>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
};

/** @returns the name, URI or URI template of a primitive; an empty string if the server lists none */
export function identityOf(kind: Kind, primitive: Primitive): string {
  const identity = primitive[IDENTITY[kind]];
  return typeof identity === 'string' ? identity : '';
}

/** A primitive that a server lists, with its kind and its name, URI or URI template. */
export interface ListedPrimitive {
  readonly kind: Kind;
  readonly name: string;
  readonly primitive: Primitive;
}

/** @returns all primitives of a catalog, by kind, in the order of the server */
export const primitivesIn = (catalog: ServerCatalog): readonly ListedPrimitive[] =>
  KINDS.flatMap((kind) =>
    (catalog[kind] ?? []).map((primitive) => ({ kind, name: identityOf(kind, primitive), primitive })),
  );

/**
 * Collects a primitive's values per concern. From the weakest to the strongest: the server's own `_meta.concerns`;
 * `assign`; patterns; the exact entry. Of several `assign` parts or patterns, the last one wins. A resource without an
 * entry takes the entry of the most specific template that matches its URI.
 *
 * @param policy the policy
 * @param kind the primitive's kind
 * @param primitive the primitive as the server lists it
 * @returns its values, each with the place where it was written
 * @example
 * mapPrimitive(policy, 'tools', { name: 'encryptData' }).offers[policy.indexOf.get('security') ?? 0];
 */
export function mapPrimitive(policy: Policy, kind: Kind, primitive: Primitive): Mapping {
  const data = readable(policy, kind, primitive);
  const given = collectOffers(policy, primitive, partsFor(policy, kind, primitive, data));
  return { kind, ...given, primitive: data, slots: policy.slots.fill(data) };
}

/** @returns the values that a primitive has by itself and by these parts of the policy, weakest first */
export function collectOffers(
  policy: Policy,
  { _meta }: Primitive,
  parts: readonly Values[],
): Pick<Mapping, 'mapped' | 'offers' | 'unknown'> {
  const offers: (Offer | undefined)[] = new Array(policy.concerns.length).fill(undefined);
  const unknown: string[] = [];
  const own = ownConcerns(_meta);
  const weakest = own === undefined ? [] : readOwn(policy, own, unknown);
  for (const { assignments } of [{ assignments: weakest }, ...parts]) {
    for (const { concern, offered, source } of assignments) {
      offers[concern] = offered === 'any' ? undefined : { offered, source };
    }
  }
  return { mapped: parts.some(({ maps }) => maps !== false), offers, unknown };
}

/** @returns the parts of a policy that give a primitive values, weakest first */
export function partsFor(policy: Policy, kind: Kind, primitive: Primitive, data: object): Values[] {
  const identity = identityOf(kind, primitive);
  const entry =
    policy.entries[kind].get(identity) ??
    (kind === 'resources' ? policy.covering.find((template) => template.matches(identity)) : undefined);
  // A list that is pushed to takes room for 17 items.
  if (policy.assigns.length + policy.patterns[kind].length === 0) return entry === undefined ? [] : [entry];
  const parts: Values[] = [];
  for (const assign of policy.assigns) {
    if (isTruthy(assign.fires({ primitive: data }, []))) parts.push(assign);
  }
  const full = patternName(identity, primitive);
  for (const pattern of policy.patterns[kind]) {
    if (pattern.matches(full)) parts.push(pattern);
  }
  if (entry !== undefined) parts.push(entry);
  return parts;
}

/** @returns the name that patterns are compared with: they have to see what a minted name stands for */
export function patternName(identity: string, primitive: Primitive): string {
  if (!isMinted(identity)) return identity;
  const own = readField(ownNames(primitive), 'name');
  return typeof own === 'string' ? `${serverOf(primitive)}__${own}` : identity;
}

const NOTHING: Readable = Object.freeze(Object.create(null));

/** @returns the fields of a primitive that rules and `assign` can read: the same that a catalog file keeps */
export function readable(policy: Policy, kind: Kind, primitive: Primitive): Readable {
  if (policy.rules.length === 0 && policy.assigns.length === 0) return NOTHING;
  const { name, title, mimeType, annotations, execution, _meta } = primitive;
  const { description, inputSchema } = primitive;
  return {
    kind,
    name,
    title,
    description,
    parameters: parametersOf(inputSchema),
    required: readField(inputSchema, 'required'),
    // A server may write any member: that of another kind says nothing.
    uri: IDENTITY[kind] === 'name' ? undefined : primitive[IDENTITY[kind]],
    mimeType,
    annotations,
    tags: tagsOf(primitive),
    execution,
    meta: _meta,
    server: serverOf(primitive),
    own: ownNames(primitive),
  };
}

/** How deep the branches of a schema may nest. */
const MAX_BRANCHES = 8;

/** @returns the names that the arguments of a call can have: those at the top level, and those of all branches */
function parametersOf(schema: unknown, depth = 0): readonly string[] | undefined {
  const properties = readField(schema, 'properties');
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : undefined;
  if (depth === MAX_BRANCHES) return own;
  const branches = BRANCHES.flatMap((keyword) => readField(schema, keyword) ?? []);
  const inner = branches.flatMap((branch) => parametersOf(branch, depth + 1) ?? []);
  return own === undefined && inner.length === 0 ? undefined : [...new Set([...(own ?? []), ...inner])];
}

const BRANCHES = ['oneOf', 'anyOf', 'allOf', 'then', 'else'];

/** Where servers put tags in `_meta`. FastMCP used the name with the underscore before version 3. */
const TAG_READERS = ['tags', 'fastmcp.tags', '_fastmcp.tags'].map(pathReader);

/**
 * @param primitive the primitive as the server lists it
 * @returns its tags, from the first place that has any: `tags`, `_meta.tags`, `_meta.fastmcp.tags` or
 *   `_meta._fastmcp.tags`
 */
export function tagsOf({ tags, _meta }: Primitive): unknown {
  if (tags !== undefined && tags !== null) return tags;
  for (const read of TAG_READERS) {
    const found = read(_meta);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @returns the values that the server gives the primitive itself */
export function ownConcerns(meta: unknown): object | undefined {
  const concerns = readField(meta, 'concerns');
  return typeof concerns === 'object' && concerns !== null ? concerns : undefined;
}

function readOwn(policy: Policy, own: object, unknown: string[]): Assignment[] {
  const assignments: Assignment[] = [];
  for (const [name, value] of Object.entries(own)) {
    const concern = policy.indexOf.get(name) ?? -1;
    const offered: number[] = [];
    for (const each of Array.isArray(value) ? value : [value]) {
      const number = toNumber(policy, concern, numberOf(each));
      if (number === undefined) unknown.push(`${name}: ${JSON.stringify(each)}`);
      else offered.push(number);
    }
    if (offered.length > 0) assignments.push({ concern, offered, source: '_meta.concerns' });
  }
  return assignments;
}

/** @returns a value in the numbers of `Assignment`; `undefined` if the concern does not declare it */
function toNumber(policy: Policy, concern: number, value: unknown): number | undefined {
  const { values } = policy.concerns[concern] ?? { values: [] };
  if ('min' in values) {
    return typeof value === 'number' && value >= values.min && value <= values.max ? value : undefined;
  }
  return typeof value === 'string' ? policy.ordinals[concern]?.get(value) : undefined;
}

/** @returns the value as policies and hosts write it, for a number of `Assignment` */
export function fromNumber({ values }: Pick<Concern, 'values'>, number: number): string | number {
  return 'min' in values ? number : (values[number] ?? '');
}

/** @returns several values, as policies and hosts write them */
export const fromNumbers = (
  concern: Pick<Concern, 'values'>,
  numbers: number | readonly number[],
): (string | number)[] => [numbers].flat().map((number) => fromNumber(concern, number));
