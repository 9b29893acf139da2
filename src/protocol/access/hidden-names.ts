import QuickLRU from 'quick-lru';
import type { Configuration } from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import { KINDS } from '../../engine/policy.js';
import type { Catalog } from '../../engine/select.js';
import { NameFinder } from './name-finder.js';
import { uriVariantsOf } from './uri-variants.js';
import { hiddenIdentities, type Lists } from './visibility.js';

/** Bounds the finders of one set of lists, and the primitives behind all of them. */
const MEMO = { entries: 64, references: 200_000 };

/** The finders of one set of lists, by configuration key. They are dropped when one of the lists changes. */
interface Finders {
  readonly lists: Lists;
  readonly byConfiguration: QuickLRU<string, NameFinder>;
}

const finders = new WeakMap<Catalog<Primitive>, Finders>();

/**
 * Returns the finder of the names, URIs and templates of all hidden primitives. It is built once per set of lists and
 * configuration. Servers write URIs in several forms, so hidden URIs are found in each.
 *
 * @param lists the server's lists, bound to the policy
 * @param configuration the values in effect
 */
export function hiddenNameFinder(lists: Lists, configuration: Configuration): NameFinder {
  const { byConfiguration } = findersOf(lists);
  const known = byConfiguration.get(configuration.key);
  if (known !== undefined) return known;
  const built = new NameFinder(
    hiddenIdentities(lists, configuration).flatMap(({ kind, identity }) =>
      kind === 'resources' ? uriVariantsOf(identity) : [identity],
    ),
  );
  byConfiguration.set(configuration.key, built);
  return built;
}

function findersOf(lists: Lists): Finders {
  const anchor = lists.tools ?? lists.prompts ?? lists.resources ?? lists.resourceTemplates;
  const known = anchor === undefined ? undefined : finders.get(anchor);
  if (known !== undefined && KINDS.every((kind) => known.lists[kind] === lists[kind])) return known;
  const size = KINDS.reduce((sum, kind) => sum + (lists[kind]?.items.length ?? 0), 0);
  const entries = Math.min(MEMO.entries, MEMO.references / (size + 1));
  // QuickLRU keeps up to twice `maxSize` entries.
  const maxSize = Math.max(1, Math.floor(entries / 2));
  const built = { lists, byConfiguration: new QuickLRU<string, NameFinder>({ maxSize }) };
  if (anchor !== undefined) finders.set(anchor, built);
  return built;
}
