import type { CompiledPolicy, ConcernValue } from '../../../engine/policy.js';
import {
  type CheckedFile,
  type ConcernDeclaration,
  type ConcernDocument,
  declarationOf,
} from '../check-values.js';

/** One of several servers behind an endpoint, and the policy that is about it alone. */
export interface ServerPart {
  readonly slug: string;
  /** The files of its policy. There are none if it has no policy, or one that cannot be read. */
  readonly files: readonly CheckedFile[];
  /** The concerns of its policy that take part. */
  readonly concerns: ReadonlyMap<string, ConcernDeclaration>;
  /** Its policy, with the names that the server itself uses; `undefined` if it has none, or one with errors. */
  readonly policy: CompiledPolicy | undefined;
  /** Its entry in the policy of all servers, and where that is. A server can also have none. */
  readonly entry: ServerEntry | undefined;
}

export interface ServerEntry {
  readonly key: string;
  readonly file: CheckedFile;
  /** What the server is for. */
  readonly description: string | undefined;
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

/** The policies of several servers, in their order, and the policy that joins them. */
export interface Servers {
  /** The files of the policy of all servers. */
  readonly files: readonly CheckedFile[];
  /** The policy of all servers, compiled with the shared concerns. */
  readonly top: CompiledPolicy;
  readonly parts: readonly ServerPart[];
  readonly shared: SharedConcerns;
}

/** The keys of a concern that policies must agree on, unless the policy of all servers writes them. */
export const AGREED = ['default', 'model', 'set-by', 'claim', 'obtainable', 'claim-values'] as const;

/** What it means to leave out some of these keys. */
const UNSET = new Map<string, unknown>(
  Object.entries({ model: 'none', 'set-by': 'host', obtainable: false }),
);

/** Returns one of several servers, with the concerns that its entry lets take part. */
export function serverPart(
  slug: string,
  files: readonly CheckedFile[] = [],
  policy?: CompiledPolicy,
  entry?: ServerEntry,
): ServerPart {
  const all = files.flatMap(({ document }) => Object.entries(document.concerns ?? {}));
  const own = all.filter(([name]) => entry?.concerns?.includes(name) !== false);
  return {
    slug,
    files,
    concerns: new Map(own.map(([name, document]) => [name, declarationOf(document)])),
    policy,
    entry,
  };
}

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
  const inheriting = (name: string, declared: ConcernDeclaration): ConcernDeclaration => {
    const first = parts.find((part) => part.concerns.has(name));
    return { ...(first && agreedOf(first, name)), ...declared };
  };
  for (const [name, document] of files.flatMap(({ document }) => Object.entries(document.concerns ?? {}))) {
    if (concerns.has(name)) continue;
    if (document.values === 'servers') {
      hierarchies.add(name);
      concerns.set(name, hierarchyOf(name, document, parts));
    } else concerns.set(name, inheriting(name, declarationOf(document)));
  }
  for (const part of parts) {
    for (const [name, own] of part.concerns) {
      if (!concerns.has(name) && part.entry?.map.has(name) !== true)
        concerns.set(name, inheriting(name, own));
    }
  }
  return { concerns, hierarchies };
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
  const values = parts.flatMap(({ slug, concerns }) => {
    const own = concerns.get(name)?.values ?? [];
    return [slug, ...('min' in own ? [] : own.map((value) => `${slug}.${value}`))];
  });
  const texts = parts.flatMap(({ slug, concerns, entry }) => {
    const own = Object.entries(concerns.get(name)?.valueDescriptions ?? {});
    return [
      ...(entry?.description === undefined ? [] : [[slug, entry.description]]),
      ...own.map(([value, text]) => [`${slug}.${value}`, text]),
    ];
  });
  const valueDescriptions = Object.fromEntries(texts);
  return { ...document, values, valueDescriptions, match: 'within', multiple: true };
}

/** Returns what the policy of one server says that all must agree on. Its default is called as it is called outside. */
export function agreedOf({ entry, concerns }: ServerPart, name: string): Partial<ConcernDeclaration> {
  const concern = concerns.get(name);
  const given = AGREED.flatMap((key) => {
    const value = concern?.[key];
    if (value === undefined || value === UNSET.get(key)) return [];
    return [[key, key === 'default' ? (entry?.map.get(name)?.get(String(value)) ?? value) : value]];
  });
  return Object.fromEntries(given);
}
