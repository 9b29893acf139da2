import QuickLRU from 'quick-lru';
import type { Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { decideItem } from '../../engine/select.js';
import { read, SERVER_META } from '../../wire/messages.js';
import { NameFinder } from './name-finder.js';
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
 * @param lists the server's lists, as far as they are known, bound to the policy
 * @param configuration the values in effect
 */
export function hiddenNameFinder(lists: Lists, configuration: Configuration): NameFinder {
  const { byConfiguration } = findersOf(lists, configuration);
  const known = byConfiguration.get(configuration.key);
  if (known !== undefined) return known;
  const built = new NameFinder(
    KINDS.flatMap((kind) => {
      const identities = hiddenIdentities(lists, kind, configuration);
      return kind === 'resources' ? identities.flatMap((uri) => uriVariantsOf(uri)) : identities;
    }),
  );
  byConfiguration.set(configuration.key, built);
  return built;
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

function hiddenIdentities(lists: Lists, kind: Kind, configuration: Configuration): readonly string[] {
  const unlisted = [...configuration.policy.entries[kind].keys()].filter((identity) =>
    isHiddenByEntry(lists, kind, identity, configuration),
  );
  const catalog = lists[kind];
  if (catalog === undefined) return unlisted;
  const [hidden, shown]: [Primitive[], Primitive[]] = [[], []];
  catalog.items.forEach((item, position) => {
    (decideItem(catalog, position, configuration).effect === 'hide' ? hidden : shown).push(item);
  });
  const shownNames = new Set(shown.flatMap((item) => ownNames(kind, item)));
  const own = hidden.flatMap((item) => ownNames(kind, item)).filter((name) => !shownNames.has(name));
  return [...hidden.map((item) => identityOf(kind, item)), ...own, ...unlisted];
}

/** Returns what one of several servers itself calls a primitive: its texts know no other name. */
function ownNames(kind: Kind, item: Primitive): readonly string[] {
  const server = read(item._meta, SERVER_META);
  if (typeof server !== 'string') return [];
  const identity = identityOf(kind, item);
  const prefix = [`${server}__`, `${server}+`].find((each) => identity.startsWith(each));
  return prefix === undefined ? [] : [identity.slice(prefix.length)];
}

/** Returns whether an entry hides a primitive that the list of its kind does not contain. */
function isHiddenByEntry(lists: Lists, kind: Kind, identity: string, configuration: Configuration): boolean {
  return (
    configuration.policy.entries[kind].has(identity) &&
    decisionOnName(lists[kind], identity, configuration) === undefined &&
    !isBareShown(kind, identity, configuration)
  );
}

/** Returns whether a text is the name, URI or template of a hidden primitive of any kind. */
export function isHiddenIdentity(lists: Lists, text: string, configuration: Configuration): boolean {
  return KINDS.some(
    (kind) =>
      decisionOnName(lists[kind], text, configuration)?.effect === 'hide' ||
      isHiddenByEntry(lists, kind, text, configuration),
  );
}
