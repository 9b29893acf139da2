import QuickLRU from 'quick-lru';
import type { Configuration } from '../../engine/configuration.js';
import { identityOf } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { decideItem } from '../../engine/select.js';
import { type Inside, insideOf, outsideName } from '../../engine/servers/outside-names.js';
import { getOrMake, once } from '../../once.js';
import { type Finder, findersAsOne, NameFinder } from './name-finder.js';
import { areSeveral, insideOfName } from './of-servers.js';
import { uriVariantsOf } from './uri-variants.js';
import { decisionOnName, isBareShown, type Lists } from './visibility.js';

/** What a primitive is called, its name outside, and its position in the list, if the list has it. */
export type Named = readonly [kind: Kind, name: string, identity: string, position: number | undefined];

/** The names of all primitives that a policy or the server's lists know. */
export interface AllNames {
  readonly lists: Lists;
  /** As clients know them. */
  readonly outside: readonly Named[];
  /** Those that one server has for its own, or without one, those of all. */
  ownOf(server: string | undefined): readonly Named[];
}

/**
 * Reads the names, URIs and templates of all primitives: those that the lists contain, and those that only the policy's
 * entries name. Of several servers, each knows only its own names. Those of one server are ordinary words in the texts of
 * another, which may show something under the same name.
 *
 * @param lists the server's lists, as far as they are known, bound to the policy
 * @param policy the policy
 * @returns the names outside, and what returns those that one server has for its own, or without one, those of all
 */
export function readNames(lists: Lists, policy: Policy): AllNames {
  const outside: Named[] = [];
  const inside = new Map<string, Named[]>();
  const add = (kind: Kind, identity: string, own: Inside | undefined, position?: number): void => {
    outside.push([kind, identity, identity, position]);
    if (own === undefined) return;
    getOrMake(inside, own.slug, () => []).push([kind, own.own, identity, position]);
  };
  for (const kind of KINDS) {
    lists[kind]?.items.forEach((item, position) => {
      add(kind, identityOf(kind, item), insideOf(item), position);
    });
    for (const name of policy.entries[kind].keys()) add(kind, name, insideOfName(lists, kind, name));
  }
  const ofAll = once(() => [...inside.values()].flat());
  const ownOf = (server: string | undefined): readonly Named[] => {
    if (!areSeveral(lists)) return [];
    return server === undefined ? ofAll() : (inside.get(server) ?? []);
  };
  return { lists, outside, ownOf };
}

/** Bounds the finders of one set of lists, and the primitives behind all of them. */
const MEMO = { entries: 64, references: 200_000 };

/** The names of one set of lists, and their finders by configuration key. */
interface Known extends AllNames {
  readonly finders: QuickLRU<string, NameFinder>;
}

/** By one of the lists, or by the policy if there is no list. Dropped when one of the lists changes. */
const memo = new WeakMap<object, Known>();

/**
 * Returns the finder of the names of all hidden primitives, see `readNames`. It is built once per set of lists and
 * configuration.
 *
 * @param lists the server's lists, as far as they are known, bound to the policy
 * @param configuration the values in effect
 * @param server which of several servers wrote the text. Without it, it can be any of them.
 */
export function hiddenNameFinder(lists: Lists, configuration: Configuration, server?: string): Finder {
  const { key, policy } = configuration;
  const { outside, ownOf, finders } = knownOf(lists, policy);
  const build = (named: readonly Named[]): NameFinder => {
    const hidden = named.filter(([kind, , identity, position]) => {
      const list = lists[kind];
      return list === undefined || position === undefined
        ? isHiddenOf(kind, lists, identity, configuration)
        : decideItem(list, position, configuration).effect === 'hide';
    });
    // Servers write the URIs of resources in several forms.
    const forms = hidden.flatMap(([kind, name]) =>
      kind === 'resources' ? uriVariantsOf(name, lists.servers) : [name],
    );
    return new NameFinder(forms);
  };
  const finderOf = (id: string, named: readonly Named[]) => getOrMake(finders, id, () => build(named));
  const own = ownOf(server);
  const all = finderOf(key, outside);
  return own.length === 0 ? all : findersAsOne(all, finderOf(JSON.stringify([key, server]), own));
}

function knownOf(lists: Lists, policy: Policy): Known {
  const anchor = lists.tools ?? lists.prompts ?? lists.resources ?? lists.resourceTemplates ?? policy;
  const known = memo.get(anchor);
  if (
    known !== undefined &&
    KINDS.every((kind) => known.lists[kind] === lists[kind]) &&
    known.lists.servers === lists.servers
  )
    return known;
  const names = readNames(lists, policy);
  const entries = Math.min(MEMO.entries, MEMO.references / (names.outside.length + 1));
  // QuickLRU keeps up to twice `maxSize` entries.
  const built = {
    ...names,
    finders: new QuickLRU<string, NameFinder>({ maxSize: Math.max(1, Math.floor(entries / 2)) }),
  };
  memo.set(anchor, built);
  return built;
}

/**
 * Returns whether a text is the name, URI or template of a hidden primitive of any kind: one that a list contains, or that only
 * an entry of the policy names.
 *
 * @param server which of several servers wrote the text: it can be its own name of the primitive
 */
export function isHiddenIdentity(
  lists: Lists,
  text: string,
  configuration: Configuration,
  server?: string,
): boolean {
  const isHidden = (kind: Kind, name: string): boolean => isHiddenOf(kind, lists, name, configuration);
  return KINDS.some(
    (kind) =>
      isHidden(kind, text) || (server !== undefined && isHidden(kind, outsideName(server, kind, text))),
  );
}

/** Returns whether a name or URI is that of a hidden primitive of one kind. */
function isHiddenOf(kind: Kind, lists: Lists, identity: string, configuration: Configuration): boolean {
  const listed = decisionOnName(lists[kind], identity, configuration);
  if (listed !== undefined) return listed.effect === 'hide';
  return (
    configuration.policy.entries[kind].has(identity) && !isBareShown(lists, kind, identity, configuration)
  );
}
