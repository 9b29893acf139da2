import type { Assignment, Concern, Kind, Policy } from './policy.js';
import { isTruthy } from './rule.js';

/** A primitive as a server lists it; only these fields are read. */
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

/** What a server lists, or what is kept of it in a catalog file. */
export type ServerCatalog = { readonly [K in Kind]?: readonly Primitive[] | undefined };

/** The values of one primitive for one concern, in the numbers of `Assignment`, and where they were written. */
export interface Offer {
  readonly offered: readonly number[];
  readonly source: string;
}

/** Everything that a policy says of one primitive: one place for each concern, empty where it has no value. */
export interface Mapping {
  readonly kind: Kind;
  readonly mapped: boolean;
  readonly offers: readonly (Offer | undefined)[];
  /** Values in the primitive's own `_meta.concerns` that the policy does not declare. */
  readonly unknown: readonly string[];
  /** What rules read of the primitive. */
  readonly primitive: object;
  /** The values of the policy's slots for it. */
  readonly slots: readonly unknown[];
}

/** How a primitive of each kind is identified in policies and requests. */
export const IDENTITY = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
} as const satisfies Record<Kind, keyof Primitive>;

/** @returns the name, URI or URI template of a primitive; an empty string where a server lists none */
export function identityOf(kind: Kind, primitive: Primitive): string {
  const identity = primitive[IDENTITY[kind]];
  return typeof identity === 'string' ? identity : '';
}

/**
 * Collects a primitive's values, per concern. Weakest first: the server's own `_meta.concerns`; `assign`, later wins;
 * patterns, later wins; the exact entry. A resource without an entry of its own takes that of the most specific template that covers it.
 *
 * @param policy the policy
 * @param kind what the primitive is
 * @param primitive the primitive as the server lists it
 * @returns its values with the place where each was written
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

/** What rules and `assign` read of a primitive: no more than a catalog of facts keeps of it. */
function readable(policy: Policy, kind: Kind, primitive: Primitive): object {
  if (policy.rules.length === 0 && policy.assigns.length === 0) return NOTHING;
  const { name, title, uri, uriTemplate, mimeType, annotations, tags, _meta } = primitive;
  const ownTags =
    tags ?? (typeof _meta === 'object' && _meta !== null ? (_meta as { tags?: unknown }).tags : undefined);
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
  if (typeof meta !== 'object' || meta === null || !Object.hasOwn(meta, 'concerns')) return undefined;
  const { concerns } = meta as { concerns: unknown };
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

/** @returns a value in the numbers of `Assignment`, or nothing if the concern does not declare it */
function toNumber(policy: Policy, concern: number, value: unknown): number | undefined {
  const { values } = policy.concerns[concern] ?? { values: [] };
  if ('min' in values) {
    return typeof value === 'number' && value >= values.min && value <= values.max ? value : undefined;
  }
  return typeof value === 'string' ? policy.ordinals[concern]?.get(value) : undefined;
}

/** @returns the value that people write for a number of `Assignment` */
export function fromNumber(policy: Policy, concern: number, number: number): string | number {
  const { values } = policy.concerns[concern] as Concern;
  return 'min' in values ? number : (values[number] ?? '');
}
