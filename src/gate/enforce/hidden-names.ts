import type { Configuration } from '../../engine/configuration.js';
import { identityOf } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { type Inside, insideOf, joinName, joinUri } from '../../wire/server-names.js';
import { type Finder, type FoundName, NameFinder } from './name-finder.js';
import { areSeveral, insideOfName } from './of-servers.js';
import { uriVariantsOf } from './uri-variants.js';
import { decisionOnName, isBareShown, type Lists } from './visibility.js';

/** Names as texts have them, and the primitives that each identifies. */
interface Names extends Finder {
  readonly identitiesOf: (name: string) => readonly string[];
}

/** What a primitive is called, and its name outside. */
type Named = readonly [kind: Kind, name: string, identity: string];

/** The names of one set of lists. They do not depend on a configuration. */
interface Known {
  readonly lists: Lists;
  readonly outside: Names;
  /** What each of several servers calls its primitives. */
  readonly inside: ReadonlyMap<string, readonly Named[]>;
  readonly ofServers: Map<string | undefined, Names>;
}

/** By one of the lists, or by the policy if there is no list; and by the kinds of all. Dropped when one of the lists changes. */
const memo = new WeakMap<object, Map<string, Known>>();

/**
 * Returns the names, URIs and templates of all primitives: those that the lists contain, and those that only the policy's
 * entries name. Servers write URIs in several forms, so URIs have each of them.
 *
 * Of several servers, each knows only its own names. Those of one server are ordinary words in the texts of another, which
 * may show something under the same name.
 *
 * @param lists the server's lists, as far as they are known, bound to the policy
 * @param policy the policy
 * @param server which of several servers wrote the text. Without it, it can be any of them.
 */
export function namesIn(lists: Lists, policy: Policy, server: string | undefined): Names {
  const { outside, inside, ofServers } = knownOf(lists, policy);
  if ((areSeveral(lists) ?? server !== undefined) === false) return outside;
  const known = ofServers.get(server);
  if (known !== undefined) return known;
  const named = server === undefined ? [...inside.values()].flat() : inside.get(server);
  // Clients and servers can send any text as the name of a server.
  if (named === undefined) return outside;
  const own = namesFor(named);
  const both: Names = {
    find: (...given) => [...outside.find(...given), ...own.find(...given)].sort((a, b) => a.end - b.end),
    identitiesOf: (name) => [...outside.identitiesOf(name), ...own.identitiesOf(name)],
  };
  ofServers.set(server, both);
  return both;
}

function knownOf(lists: Lists, policy: Policy): Known {
  const anchor = lists.tools ?? lists.prompts ?? lists.resources ?? lists.resourceTemplates ?? policy;
  const kinds = KINDS.filter((kind) => lists[kind] !== undefined).join();
  const ofAnchor = memo.get(anchor) ?? new Map<string, Known>();
  memo.set(anchor, ofAnchor);
  const known = ofAnchor.get(kinds);
  if (known !== undefined && KINDS.every((kind) => known.lists[kind] === lists[kind])) return known;
  const all: Named[] = [];
  const inside = new Map<string, Named[]>();
  const add = (kind: Kind, identity: string, own: Inside | undefined): void => {
    all.push([kind, identity, identity]);
    if (own === undefined) return;
    const ofServer = inside.get(own.slug) ?? [];
    ofServer.push([kind, own.own, identity]);
    inside.set(own.slug, ofServer);
  };
  for (const kind of KINDS) {
    for (const item of lists[kind]?.items ?? []) add(kind, identityOf(kind, item), insideOf(item));
    for (const name of policy.entries[kind].keys()) add(kind, name, insideOfName(kind, name));
  }
  const found = { lists, outside: namesFor(all), inside, ofServers: new Map() };
  ofAnchor.set(kinds, found);
  return found;
}

function namesFor(named: readonly Named[]): Names {
  const identities = new Map<string, string[]>();
  for (const [kind, name, identity] of named) {
    for (const form of kind === 'resources' ? uriVariantsOf(name) : [name]) {
      const text = form.normalize('NFC');
      const same = identities.get(text) ?? [];
      same.push(identity);
      identities.set(text, same);
    }
  }
  const finder = new NameFinder(identities.keys());
  return { find: (...given) => finder.find(...given), identitiesOf: (name) => identities.get(name) ?? [] };
}

/** The names of hidden primitives among all names. */
export interface HiddenNames {
  readonly isHidden: (name: string) => boolean;
  /** Finds the hidden names in a text, also as a part of a visible one. */
  find(text: string): readonly FoundName[];
  /** Finds the visible names in a text. */
  findShown(text: string): readonly FoundName[];
}

/**
 * Returns what finds the names of all hidden primitives, see `namesIn`.
 *
 * @param lists the server's lists, as far as they are known, bound to the policy
 * @param configuration the values in effect
 * @param server which of several servers wrote the text. Without it, it can be any of them.
 * @param isTold whether the client knows a name or URI anyway
 */
export function hiddenNames(
  lists: Lists,
  configuration: Configuration,
  server?: string,
  isTold: (identity: string) => boolean = () => false,
): HiddenNames {
  const names = namesIn(lists, configuration.policy, server);
  // Texts can repeat a name any number of times.
  const decided = new Map<string, boolean>();
  const isHidden = (name: string): boolean => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    const found = names
      .identitiesOf(name)
      .some((identity) => !isTold(identity) && isHiddenIdentity(lists, identity, configuration));
    decided.set(name, found);
    return found;
  };
  return {
    isHidden,
    find: (text) => names.find(text, isHidden),
    findShown: (text) => names.find(text, (name) => !isHidden(name)),
  };
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
  if (server !== undefined) {
    const outside = [text, joinName(server, text), joinUri(server, text)];
    return outside.some((each) => isHiddenIdentity(lists, each, configuration));
  }
  return KINDS.some((kind) => {
    const listed = decisionOnName(lists[kind], text, configuration);
    if (listed !== undefined) return listed.effect === 'hide';
    return configuration.policy.entries[kind].has(text) && !isBareShown(lists, kind, text, configuration);
  });
}
