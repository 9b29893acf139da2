import type { CompiledPolicy, ConcernValue } from '../../../engine/policy.js';
import type { CheckedFile } from '../check-values.js';
import { type ConcernDeclaration, type ConcernDocument, declarationOf } from '../check-values.js';

/** One of several servers behind an endpoint, and the policy that is about it alone. */
export interface ServerPart {
  readonly slug: string;
  /** The files of its policy. There are none if it has no policy, or one that cannot be read. */
  readonly files: readonly CheckedFile[];
  /** Its policy, with the names that the server itself uses; `undefined` if it has none, or one with errors. */
  readonly policy?: CompiledPolicy | undefined;
  /** Its entry in the policy of all servers, and where that is. A server can also have none. */
  readonly entry?: ServerEntry | undefined;
}

export interface ServerEntry {
  readonly key: string;
  readonly file: CheckedFile;
  /** Which of its concerns take part; all without it. */
  readonly concerns: readonly string[] | undefined;
  /** What its values are called outside, by concern. */
  readonly map: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** What several servers share: concerns with one name are one switch. */
export interface SharedConcerns {
  readonly concerns: ReadonlyMap<string, ConcernDeclaration>;
  /** The concerns whose values are the servers and, below them, the values of their own policies. */
  readonly hierarchies: ReadonlySet<string>;
}

/** The keys of a concern that policies must agree on, unless the policy of all servers writes them. */
export const AGREED = ['default', 'model', 'set-by', 'claim', 'obtainable', 'claim-values'] as const;

/** What it means to leave out some of these keys. */
const UNSET = new Map<string, unknown>(
  Object.entries({ model: 'none', 'set-by': 'host', obtainable: false }),
);

/**
 * Joins the concerns of the policies of several servers. The policy of all servers decides about a concern that it declares,
 * otherwise the first server does whose values nothing maps.
 *
 * @param files the files of the policy of all servers
 * @param parts the servers, in their order
 * @returns the concerns: those that the policy declares, then those of the servers
 * @example
 * shareConcerns(files, parts).concerns.get('effect')?.values; // ['read-only', 'changes', 'destroys']
 */
export function shareConcerns(files: readonly CheckedFile[], parts: readonly ServerPart[]): SharedConcerns {
  const concerns = new Map<string, ConcernDeclaration>();
  const hierarchies = new Set<string>();
  for (const [name, document] of files.flatMap(({ document }) => Object.entries(document.concerns ?? {}))) {
    if (concerns.has(name)) continue;
    if (document.values === 'servers') hierarchies.add(name);
    const isHierarchy = hierarchies.has(name);
    concerns.set(
      name,
      isHierarchy ? hierarchyOf(name, document, parts) : inheriting(name, declarationOf(document), parts),
    );
  }
  for (const part of parts) {
    for (const [name, own] of concernsOf(part)) {
      if (!concerns.has(name) && part.entry?.map.has(name) !== true)
        concerns.set(name, inheriting(name, own, parts));
    }
  }
  return { concerns, hierarchies };
}

/** Returns the concerns of the policy of one server that take part. */
export function concernsOf({ files, entry }: ServerPart): ReadonlyMap<string, ConcernDeclaration> {
  const all = files.flatMap(({ document }) => Object.entries(document.concerns ?? {}));
  const part = all.filter(([name]) => entry?.concerns?.includes(name) !== false);
  return new Map(part.map(([name, document]) => [name, declarationOf(document)]));
}

/** Returns what a value of the policy of one server is called in the policy of all servers. */
export function sharedValue<T extends ConcernValue>(
  { slug, entry }: ServerPart,
  { hierarchies }: SharedConcerns,
  concern: string,
  value: T,
): T | string {
  if (hierarchies.has(concern)) return `${slug}.${value}`;
  return entry?.map.get(concern)?.get(String(value)) ?? value;
}

/** Each server is above the values of its own policy, so one switch also turns a whole server off. */
function hierarchyOf(
  name: string,
  document: ConcernDocument,
  parts: readonly ServerPart[],
): ConcernDeclaration {
  const below = parts.map((part) => ({ slug: part.slug, own: concernsOf(part).get(name) }));
  const values = below.flatMap(({ slug, own }) => [
    slug,
    ...(own === undefined || 'min' in own.values ? [] : own.values.map((value) => `${slug}.${value}`)),
  ]);
  const texts = below.flatMap(({ slug, own }) =>
    Object.entries(own?.valueDescriptions ?? {}).map(([value, text]) => [`${slug}.${value}`, text]),
  );
  const valueDescriptions = Object.fromEntries(texts);
  return { ...document, values, valueDescriptions, match: 'within', multiple: true };
}

function inheriting(
  name: string,
  declared: ConcernDeclaration,
  parts: readonly ServerPart[],
): ConcernDeclaration {
  const own = parts.flatMap((part) => {
    const concern = concernsOf(part).get(name);
    return concern === undefined ? [] : [agreedOf(part, name, concern)];
  });
  return { ...Object.assign({}, ...own.toReversed()), ...declared };
}

/** Returns what the policy of one server says that all must agree on. Its default is called as it is called outside. */
export function agreedOf(
  { entry }: ServerPart,
  name: string,
  concern: ConcernDeclaration,
): Partial<ConcernDeclaration> {
  const map = entry?.map.get(name);
  const given = AGREED.flatMap((key) => {
    const value = concern[key];
    return value === undefined || value === UNSET.get(key)
      ? []
      : [[key, key === 'default' ? (map?.get(String(value)) ?? value) : value]];
  });
  return Object.fromEntries(given);
}
