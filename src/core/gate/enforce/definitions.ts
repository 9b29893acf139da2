import type { Configuration } from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import type { Catalog } from '../../engine/select.js';
import { leftOutIn } from '../../engine/servers/left-out.js';
import { insideOf, LEFT_OUT_META } from '../../engine/servers/outside-names.js';
import { getOrMake } from '../../once.js';
import { membersOf } from '../../wire/messages.js';
import { NOTHING } from './exceptions.js';
import { isHiddenIdentity, type Named, readNames } from './hidden-names.js';
import {
  type Finder,
  type FoundName,
  findersAsOne,
  HIDDEN,
  NameFinder,
  outside,
  replaceParts,
} from './name-finder.js';
import { type Redact, redactDefinition, redactMembers } from './redact-texts.js';
import { inBothForms } from './text-redaction.js';
import { uriVariantsOf } from './uri-variants.js';
import { decisionOnName } from './visibility.js';

/** Names as texts have them, and the primitives that each identifies. */
interface Names extends Finder {
  readonly servers: ReadonlySet<string>;
  readonly identitiesOf: (name: string) => readonly string[];
}

/** What does not depend on a configuration is found once for each list: most definitions mention nothing. */
interface Known {
  /** The names by the server that knows them; those of all servers without one. */
  readonly namesOf: (server: string | undefined) => Names;
  /** The names in each definition. One that mentions none is missing. */
  readonly mentioned: ReadonlyMap<Primitive, ReadonlySet<string>>;
}

const known = new WeakMap<Catalog<Primitive>, Known>();
/** By the primitives that are shown: a selection belongs to one list and one configuration. */
const redacted = new WeakMap<readonly Primitive[], readonly Primitive[]>();

/**
 * Removes the names of hidden primitives from the definitions of visible ones. No other list is fetched or read, so that the
 * same list has the same bytes whatever the client listed before.
 *
 * @param bound the server's list
 * @param shown the primitives of it that the client is shown
 * @param configuration the values in effect
 * @returns the definitions in the same order; the same list if none names anything hidden
 * @example
 * redactDefinitions(bound, select(bound, configuration).kept, configuration);
 */
export function redactDefinitions(
  bound: Catalog<Primitive>,
  shown: readonly Primitive[],
  configuration: Configuration,
): readonly Primitive[] {
  const done = redacted.get(shown);
  if (done !== undefined) return done;
  const { mentioned } = knownOf(bound);
  const ofServers = new Map<string | undefined, ReturnType<typeof hiddenIn>>();
  const definitions = shown.map((item) => {
    const names = mentioned.get(item);
    if (names === undefined) return item;
    const server = insideOf(item)?.slug;
    const hidden = getOrMake(ofServers, server, () => hiddenIn(bound, configuration, server));
    return [...names].some(hidden.isHidden) ? redactDefinition(item, hidden.redaction(isName)) : item;
  });
  const given = definitions.some((each, index) => each !== shown[index]) ? definitions : shown;
  redacted.set(shown, given);
  return given;
}

/**
 * Removes the names of hidden primitives from the members of a list's result that are not its entries. Entries that are left out
 * have no names there: nothing tells whether the policy would show them.
 */
export function redactRest(
  bound: Catalog<Primitive>,
  rest: Record<string, unknown>,
  configuration: Configuration,
): Record<string, unknown> {
  // Most results have none.
  if (Object.keys(rest).length === 0) return rest;
  const redact = hiddenIn(bound, configuration, undefined).redaction(() => true);
  const found = leftOutIn(rest._meta);
  if (found.length === 0) return redactMembers(rest, redact, NOTHING);
  const nameless = found.map(([slug, each]) => [slug, each.map(({ name: _name, ...where }) => where)]);
  const _meta = { ...membersOf(rest._meta), [LEFT_OUT_META]: Object.fromEntries(nameless) };
  return redactMembers({ ...rest, _meta }, redact, NOTHING);
}

/**
 * Returns which names are hidden, and what removes them. A name of this list that is shown tells nothing, also if something
 * hidden of another kind has it. A hidden name that is a part of a visible one is another name.
 */
function hiddenIn(bound: Catalog<Primitive>, configuration: Configuration, server: string | undefined) {
  const names = knownOf(bound).namesOf(server);
  // Texts can repeat a name any number of times.
  const decided = new Map<string, boolean>();
  const isIdentityHidden = (identity: string): boolean =>
    decisionOnName(bound, identity, configuration)?.effect !== 'show' &&
    isHiddenIdentity({ [bound.kind]: bound, servers: names.servers }, identity, configuration);
  const isHidden = (name: string): boolean =>
    getOrMake(decided, name, () => names.identitiesOf(name).some(isIdentityHidden));
  const redaction = (counts: typeof isName): Redact =>
    inBothForms((text) => {
      const found = names.find(text);
      const hidden = found.filter((each) => counts(each, text) && isHidden(each.name));
      if (hidden.length === 0) return text;
      const shown = found.filter(({ name }) => !isHidden(name));
      return replaceParts(text, outside(hidden, shown), HIDDEN);
    });
  return { isHidden, redaction };
}

const knownOf = (bound: Catalog<Primitive>): Known => getOrMake(known, bound, () => readKnown(bound));

function readKnown(bound: Catalog<Primitive>): Known {
  const { servers } = bound;
  const { outside, ownOf } = readNames({ [bound.kind]: bound, servers }, bound.policy);
  const all = namesFor(outside, servers);
  const ofServers = new Map<string | undefined, Names>();
  const namesOf = (server: string | undefined): Names =>
    getOrMake(ofServers, server, () => withOwn(all, ownOf(server)));
  const mentioned = new Map<Primitive, ReadonlySet<string>>();
  for (const item of bound.items) {
    const { find } = namesOf(insideOf(item)?.slug);
    const names = new Set<string>();
    const collect = inBothForms((text) => {
      for (const found of find(text)) if (isName(found, text)) names.add(found.name);
      return text;
    });
    redactDefinition(item, collect);
    if (names.size > 0) mentioned.set(item, names);
  }
  return { namesOf, mentioned };
}

function namesFor(named: readonly Named[], servers: ReadonlySet<string>): Names {
  const identities = new Map<string, string[]>();
  for (const [, name, identity] of named) {
    for (const form of name.includes(':') ? uriVariantsOf(name, servers) : [name]) {
      getOrMake(identities, form.normalize('NFC'), () => []).push(identity);
    }
  }
  const finder = new NameFinder(identities.keys());
  return { find: (text) => finder.find(text), identitiesOf: (name) => identities.get(name) ?? [], servers };
}

function withOwn(all: Names, named: readonly Named[]): Names {
  if (named.length === 0) return all;
  const own = namesFor(named, all.servers);
  const identitiesOf = (name: string) => [...all.identitiesOf(name), ...own.identitiesOf(name)];
  return { ...findersAsOne(all, own), identitiesOf, servers: all.servers };
}

/** Letters without a capital inside, or several such words. */
const ORDINARY = /^\p{L}[\p{Ll}\p{Lo}\p{M}\s]*$/u;
const QUOTE = /^["'`‘’“”«»]$/;

/** Whether what was found is meant as a name: it cannot be an ordinary word, or it stands in quotes. */
export const isName = ({ name, start, end }: FoundName, text: string): boolean =>
  !ORDINARY.test(name) || (QUOTE.test(text.charAt(start - 1)) && QUOTE.test(text.charAt(end)));
