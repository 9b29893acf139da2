import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { definitionDigest } from '../../engine/pins.js';
import { KINDS, type Kind, type Pins } from '../../engine/policy.js';

/** How the definition of one primitive differs from the reviewed one. */
export interface DefinitionChange {
  readonly kind: Kind;
  readonly name: string;
  /** `renamed`: the definition is that of `from`, which is not listed any more. */
  readonly change: 'changed' | 'new' | 'gone' | 'renamed';
  /** The name that had this definition. With `changed`, another primitive's definition is now behind this name. */
  readonly from?: string;
  /** What differs; empty if the old definition is not known. */
  readonly details: readonly DefinitionDetail[];
}

/** One difference between two definitions: of a member, or of a parameter or a hint inside of one. */
export interface DefinitionDetail {
  readonly part: 'member' | 'parameter' | 'hint';
  readonly name: string;
  /** `undefined` if it was added. */
  readonly before: unknown;
  /** `undefined` if it was removed. */
  readonly after: unknown;
}

/**
 * Compares the definitions of a server with the reviewed ones.
 *
 * @param pins the digests of the reviewed definitions
 * @param now what the server lists
 * @param old what it listed when they were reviewed, if that is known: only then there are details
 * @returns the differences, in the order of the server, then what is gone
 * @example
 * compareDefinitions(pinsOf(old), now, old).filter(({ change }) => change === 'changed');
 */
export function compareDefinitions(pins: Pins, now: ServerCatalog, old?: ServerCatalog): DefinitionChange[] {
  return KINDS.flatMap((kind) => {
    const pinned = new Map(Object.entries(pins[kind]));
    const listed = now[kind] ?? [];
    const names = new Set(listed.map((each) => identityOf(kind, each)));
    const nameOf = new Map([...pinned].map(([name, digest]) => [digest, name]));
    const before = new Map((old?.[kind] ?? []).map((each) => [identityOf(kind, each), each]));
    const renamed = new Set<string>();
    const changes = listed.flatMap((each): DefinitionChange[] => {
      const name = identityOf(kind, each);
      const digest = definitionDigest(kind, each);
      const known = pinned.get(name);
      if (known === digest) return [];
      const from = nameOf.get(digest);
      const origin = from === undefined ? {} : { from };
      if (known !== undefined)
        return [{ kind, name, change: 'changed', ...origin, details: detailsOf(before.get(name), each) }];
      if (from === undefined || names.has(from))
        return [{ kind, name, change: 'new', ...origin, details: [] }];
      renamed.add(from);
      return [{ kind, name, change: 'renamed', from, details: [] }];
    });
    const gone = [...pinned.keys()].filter((name) => !names.has(name) && !renamed.has(name));
    return [...changes, ...gone.map((name) => ({ kind, name, change: 'gone' as const, details: [] }))];
  });
}

/**
 * Compares two definitions, or what is known of them: a catalog of facts has neither descriptions nor schemas.
 *
 * @param before the earlier definition; `undefined` if it is not known
 * @param after the later definition
 * @returns what differs
 * @example
 * detailsOf({ name: 'tree', title: 'Tree' }, { name: 'tree', title: 'Trees' }); // the title
 */
export function detailsOf(before: Primitive | undefined, after: Primitive): DefinitionDetail[] {
  if (before === undefined) return [];
  const isPartial = 'tokens' in before || 'tokens' in after;
  return differing(before, after).flatMap(([name, old, now]): DefinitionDetail[] => {
    if (isPartial && !IN_FACTS.has(name)) return [];
    const hints = name === 'annotations' ? differing(old, now) : [];
    const parameters = name === 'inputSchema' ? differing(propertiesOf(old), propertiesOf(now)) : [];
    const inside = [...hints, ...parameters];
    if (inside.length === 0) return [{ part: 'member', name, before: old, after: now }];
    const part = hints.length > 0 ? 'hint' : 'parameter';
    return inside.map(([each, was, is]) => ({ part, name: each, before: was, after: is }));
  });
}

/** The members of a definition that are the same in its facts. */
const IN_FACTS: ReadonlySet<string> = new Set(['title', 'mimeType', 'annotations', 'execution']);

/** @returns the members of two objects that differ, by name */
function differing(before: unknown, after: unknown): [name: string, before: unknown, after: unknown][] {
  const [old, now] = [membersOf(before), membersOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)))
    .map((name) => [name, old.get(name), now.get(name)]);
}

const membersOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);

const propertiesOf = (schema: unknown): unknown => membersOf(schema).get('properties');
