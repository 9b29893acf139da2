import QuickLRU from 'quick-lru';
import type { Configuration } from '../../engine/configuration.js';
import { identityOf } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { decideItem } from '../../engine/select.js';
import { type Inside, insideOf, joinName, joinUri } from '../../wire/server-names.js';
import { type Finder, findersAsOne, NameFinder } from './name-finder.js';
import { areSeveral, insideOfName, ownNameOf } from './of-servers.js';
import { uriVariantsOf } from './uri-variants.js';
import { decisionOnName, isBareShown, type Lists } from './visibility.js';

/** Bounds the finders of one set of lists, and the primitives behind all of them. */
const MEMO = { entries: 64, references: 200_000 };

/** The finders of one set of lists, by configuration key. They are dropped when one of the lists changes. */
interface Finders {
  readonly lists: Lists;
  readonly byConfiguration: QuickLRU<string, NameFinder>;
}

/** By one of the lists, or by the policy if there is no list. */
const finders = new WeakMap<object, Finders>();

/**
 * Returns the finder of the names, URIs and templates of all hidden primitives: those that the lists contain, and those
 * that only the policy's entries name. It is built once per set of lists and configuration. Servers write URIs in several
 * forms, so hidden URIs are found in each.
 *
 * Of several servers, each knows only its own names. Those of one server are ordinary words in the texts of another, which
 * may show something under the same name.
 *
 * @param lists the server's lists, as far as they are known, bound to the policy
 * @param configuration the values in effect
 * @param server which of several servers wrote the text. Without it, it can be any of them.
 */
export function hiddenNameFinder(lists: Lists, configuration: Configuration, server?: string): Finder {
  const { byConfiguration } = findersOf(lists, configuration);
  const { key } = configuration;
  const finderOf = (memo: string, namesOf: (hidden: Hidden) => readonly string[]): NameFinder => {
    const known = byConfiguration.get(memo);
    if (known !== undefined) return known;
    const built = new NameFinder(
      KINDS.flatMap((kind) => {
        const names = hiddenOf(lists, kind, configuration).flatMap(namesOf);
        return kind === 'resources' ? names.flatMap((uri) => uriVariantsOf(uri)) : names;
      }),
    );
    byConfiguration.set(memo, built);
    return built;
  };
  const outside = finderOf(key, ({ identity }) => [identity]);
  if ((areSeveral(lists) ?? server !== undefined) === false) return outside;
  const own = finderOf(JSON.stringify([key, server]), ({ inside }) => ownNameOf(inside, server));
  return findersAsOne(outside, own);
}

function findersOf(lists: Lists, { policy }: Configuration): Finders {
  const anchor = lists.tools ?? lists.prompts ?? lists.resources ?? lists.resourceTemplates ?? policy;
  const known = finders.get(anchor);
  if (known !== undefined && KINDS.every((kind) => known.lists[kind] === lists[kind])) return known;
  const size = KINDS.reduce(
    (sum, kind) => sum + (lists[kind]?.items.length ?? 0) + policy.entries[kind].size,
    0,
  );
  const entries = Math.min(MEMO.entries, MEMO.references / (size + 1));
  // QuickLRU keeps up to twice `maxSize` entries.
  const maxSize = Math.max(1, Math.floor(entries / 2));
  const built = { lists, byConfiguration: new QuickLRU<string, NameFinder>({ maxSize }) };
  finders.set(anchor, built);
  return built;
}

/** A hidden primitive: its name outside, and what one of several servers calls it. */
interface Hidden {
  readonly identity: string;
  readonly inside: Inside | undefined;
}

function hiddenOf(lists: Lists, kind: Kind, configuration: Configuration): readonly Hidden[] {
  const unlisted = [...configuration.policy.entries[kind].keys()]
    .filter((identity) => isHiddenByEntry(lists, kind, identity, configuration))
    .map((identity) => ({ identity, inside: insideOfName(kind, identity) }));
  const catalog = lists[kind];
  if (catalog === undefined) return unlisted;
  const listed = catalog.items.filter(
    (_item, position) => decideItem(catalog, position, configuration).effect === 'hide',
  );
  return [
    ...listed.map((item) => ({ identity: identityOf(kind, item), inside: insideOf(item) })),
    ...unlisted,
  ];
}

/** Returns whether an entry hides a primitive that the list of its kind does not contain. */
function isHiddenByEntry(lists: Lists, kind: Kind, identity: string, configuration: Configuration): boolean {
  return (
    configuration.policy.entries[kind].has(identity) &&
    decisionOnName(lists[kind], identity, configuration) === undefined &&
    !isBareShown(lists, kind, identity, configuration)
  );
}

/**
 * Returns whether a text is the name, URI or template of a hidden primitive of any kind.
 *
 * @param server which of several servers wrote the text: it can be its own name of the primitive
 */
export function isHiddenIdentity(
  lists: Lists,
  text: string,
  configuration: Configuration,
  server?: string,
): boolean {
  if (server !== undefined) {
    const outside = [text, joinName(server, text), joinUri(server, text)];
    return outside.some((each) => isHiddenIdentity(lists, each, configuration));
  }
  return KINDS.some(
    (kind) =>
      decisionOnName(lists[kind], text, configuration)?.effect === 'hide' ||
      isHiddenByEntry(lists, kind, text, configuration),
  );
}
