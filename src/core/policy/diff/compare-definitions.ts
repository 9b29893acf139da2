import { isObject } from '../../engine/expression/evaluate.js';
import { IDENTITY, identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { definitionDigest, pinsOf, sortedJson } from '../../engine/pins.js';
import { KINDS, type Kind, type Pins } from '../../engine/policy.js';
import type { PolicyCatalog } from '../check/servers/own-catalog.js';

/** How the definition of one primitive differs from the reviewed one. */
export interface DefinitionChange {
  readonly kind: Kind;
  readonly name: string;
  /** `renamed`: the definition is that of `from`, which is not listed any more. */
  readonly change: 'changed' | 'new' | 'gone' | 'renamed';
  /** The name that had this definition. With `changed`, another primitive's definition is now behind this name. */
  readonly from?: string;
  /** Whether the reviewed definition is known. If not, `details` has all of the definition as it is now. */
  readonly isKnown: boolean;
  readonly details: readonly DefinitionDetail[];
}

/** One difference between two definitions. */
export interface DefinitionDetail {
  /** Where it is, as `['inputSchema', 'properties', 'path', 'description']`. */
  readonly path: readonly string[];
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
 * @param old what it listed when they were reviewed, if that is known
 * @returns the differences, in the order of the server, then what is gone
 * @example
 * compareDefinitions(pinsOf(old), now, old).filter(({ change }) => change === 'changed');
 */
export function compareDefinitions(pins: Pins, now: ServerCatalog, old?: PolicyCatalog): DefinitionChange[] {
  return KINDS.flatMap((kind) => {
    const pinned = new Map(Object.entries(pins[kind]));
    const listed = now[kind] ?? [];
    const names = new Set(listed.map((each) => identityOf(kind, each)));
    const nameOf = new Map([...pinned].map(([name, digest]) => [digest, name]));
    const before = new Map((old?.[kind] ?? []).map((each) => [identityOf(kind, each), each]));
    const areFacts = old?.encoding !== undefined;
    const changes = listed.flatMap((each): DefinitionChange[] => {
      const name = identityOf(kind, each);
      const digest = definitionDigest(kind, each);
      const isPinned = pinned.has(name);
      if (pinned.get(name) === digest) return [];
      const from = nameOf.get(digest);
      const isRename = !isPinned && from !== undefined && !names.has(from);
      // Facts lack what a poisoned description would change, so all of the new definition is to be read.
      const earlier = before.get(name) ?? {};
      const known = { [IDENTITY[kind]]: name, ...(areFacts ? factsIn(earlier) : earlier) };
      return [
        {
          kind,
          name,
          change: isPinned ? 'changed' : isRename ? 'renamed' : 'new',
          ...(from === undefined ? {} : { from }),
          isKnown: (before.has(name) && !areFacts) || from !== undefined || !isPinned,
          details: isRename ? [] : detailsOf(known, each, false),
        },
      ];
    });
    const renamed = changes.map(({ change, from }) => (change === 'renamed' ? from : undefined));
    const gone = [...pinned.keys()].filter((name) => !names.has(name) && !renamed.includes(name));
    return [
      ...changes,
      ...gone.map((name) => ({ kind, name, change: 'gone' as const, isKnown: true, details: [] })),
    ];
  });
}

/**
 * Finds the primitives of two catalogs that have the same definition under another name.
 *
 * @param before what the server listed
 * @param now what it lists
 * @returns the old names by the kind and the new name
 * @example
 * renamesOf({ tools: [{ name: 'tree', title: 'T' }] }, { tools: [{ name: 'trees', title: 'T' }] }).get('tools trees'); // 'tree'
 */
export const renamesOf = (before: ServerCatalog, now: ServerCatalog): ReadonlyMap<string, string> =>
  new Map(
    compareDefinitions(pinsOf(before), now).flatMap(({ kind, name, change, from }) =>
      change === 'renamed' && from !== undefined ? [[`${kind} ${name}`, from]] : [],
    ),
  );

/**
 * Compares two definitions, or what is known of them: facts have neither descriptions nor schemas.
 *
 * @param before the earlier definition, or its facts
 * @param after the later definition, or its facts
 * @param areFacts whether only facts are known of one of them
 * @returns what differs, in whatever order the members are listed
 * @example
 * detailsOf({ name: 'tree', title: 'Tree' }, { name: 'tree', title: 'Trees' }, false)[0]?.path; // ['title']
 */
export function detailsOf(before: Primitive, after: Primitive, areFacts: boolean): DefinitionDetail[] {
  return areFacts ? differing(factsIn(before), factsIn(after), []) : differing(before, after, []);
}

/** The members of a definition that are the same in its facts. */
const factsIn = ({ title, mimeType, annotations, execution }: Primitive): Primitive => ({
  title,
  mimeType,
  annotations,
  execution,
});

/** @returns the differences of two values, member by member where both are objects */
function differing(before: unknown, after: unknown, path: readonly string[]): DefinitionDetail[] {
  if (before === after) return [];
  const [was, is] = [before, after].map((each) => (each === undefined ? '' : sortedJson(each)));
  const [old, now] = [membersOf(before, path), membersOf(after, path)];
  // What has no text nests too deeply to be compared further.
  const isTooDeep = was === undefined || is === undefined;
  if (was === is && !isTooDeep) return [];
  if (old === undefined || now === undefined || isTooDeep) return [{ path, before, after }];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    differing(old.get(name), now.get(name), [...path, name]),
  );
}

function membersOf(value: unknown, path: readonly string[]): ReadonlyMap<string, unknown> | undefined {
  if (isObject(value)) return new Map(Object.entries(value));
  return value === undefined && IN_PARTS.has(path.join('.')) ? new Map() : undefined;
}

/** The members that are compared part by part even if one of the two definitions lacks them. */
const IN_PARTS: ReadonlySet<string> = new Set(['inputSchema', 'inputSchema.properties', 'annotations']);
