import { isTruthy } from './expression/evaluate.js';
import { itemAt } from './item-at.js';
import type { Assignment, Kind, Policy } from './policy.js';

/** A primitive as a server lists it. Only these fields are read. */
export interface Primitive {
  readonly name?: unknown;
  readonly uri?: unknown;
  readonly uriTemplate?: unknown;
  readonly _meta?: unknown;
  readonly title?: unknown;
  readonly mimeType?: unknown;
  readonly annotations?: unknown;
  readonly tags?: unknown;
}

/** Everything that one server lists, or what a catalog file keeps of it. */
export type ServerCatalog = { readonly [K in Kind]?: readonly Primitive[] | undefined };

/** A primitive's values for one concern, in the numbers of `Assignment`, and where they were written. */
export interface Offer {
  readonly offered: readonly number[];
  readonly source: string;
}

/** Everything that a policy says about one primitive. */
export interface Mapping {
  readonly kind: Kind;
  /** Whether an entry, a pattern, an `assign` or the primitive itself gives it values. */
  readonly mapped: boolean;
  /** One item per concern of the policy; `undefined` if the primitive has no value for it. */
  readonly offers: readonly (Offer | undefined)[];
  /** Values in the primitive's own `_meta.concerns` that the policy does not declare. */
  readonly unknown: readonly string[];
  /** The fields of the primitive that rules can read. */
  readonly primitive: object;
  /** The values of the policy's slots for this primitive. */
  readonly slots: readonly unknown[];
}

/** How a primitive of each kind is identified in policies and requests. */
export const IDENTITY = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
} as const satisfies Record<Kind, keyof Primitive>;

/** @returns the name, URI or URI template of a primitive; an empty string if the server lists none */
export function identityOf(kind: Kind, primitive: Primitive): string {
  const identity = primitive[IDENTITY[kind]];
  return typeof identity === 'string' ? identity : '';
}

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
  const offers: (Offer | undefined)[] = new Array(policy.concerns.length).fill(undefined);
  const unknown: string[] = [];
  let mapped = false;

  const apply = (assignments: readonly Assignment[]): void => {
    mapped = true;
    for (const { concern, offered, source } of assignments) {
      offers[concern] = offered === 'any' ? undefined : { offered, source };
    }
  };

  const own = ownConcerns(primitive._meta);
  if (own !== undefined) apply(readOwn(policy, own, unknown));
  const identity = identityOf(kind, primitive);
  const data = readable(policy, kind, primitive);
  for (const { fires, assignments } of policy.assigns) {
    if (isTruthy(fires({ primitive: data }, []))) apply(assignments);
  }
  for (const pattern of policy.patterns[kind]) {
    if (pattern.matches(identity)) apply(pattern.assignments);
  }
  const entry =
    policy.entries[kind].get(identity) ??
    (kind === 'resources' ? policy.covering.find((template) => template.matches(identity)) : undefined);
  if (entry !== undefined) apply(entry.assignments);

  return { kind, mapped, offers, unknown, primitive: data, slots: policy.slots.fill(data) };
}

const NOTHING: object = Object.freeze(Object.create(null));

/** The fields that rules and `assign` can read: the same that a catalog file keeps. */
function readable(policy: Policy, kind: Kind, primitive: Primitive): object {
  if (policy.rules.length === 0 && policy.assigns.length === 0) return NOTHING;
  const { name, title, uri, uriTemplate, mimeType, annotations, tags, _meta } = primitive;
  const ownTags =
    tags ?? (typeof _meta === 'object' && _meta !== null && 'tags' in _meta ? _meta.tags : undefined);
  const data: Record<string, unknown> = Object.create(null);
  return Object.assign(data, {
    kind,
    name,
    title,
    uri: uri ?? uriTemplate,
    mimeType,
    annotations,
    tags: ownTags,
  });
}

function ownConcerns(meta: unknown): object | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  if (!('concerns' in meta) || !Object.hasOwn(meta, 'concerns')) return undefined;
  const { concerns } = meta;
  return typeof concerns === 'object' && concerns !== null ? concerns : undefined;
}

function readOwn(policy: Policy, own: object, unknown: string[]): Assignment[] {
  const assignments: Assignment[] = [];
  for (const [name, value] of Object.entries(own)) {
    const concern = policy.indexOf.get(name) ?? -1;
    const offered: number[] = [];
    for (const each of Array.isArray(value) ? value : [value]) {
      const number = toNumber(policy, concern, each);
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
export function fromNumber(policy: Policy, concern: number, number: number): string | number {
  const { values } = itemAt(policy.concerns, concern);
  return 'min' in values ? number : (values[number] ?? '');
}
