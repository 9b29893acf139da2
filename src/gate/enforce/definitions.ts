import type { Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS } from '../../engine/policy.js';
import type { Catalog } from '../../engine/select.js';
import { insideOf } from '../../wire/server-names.js';
import { isHiddenIdentity } from './hidden-names.js';
import { type Finder, type FoundName, findersAsOne, NameFinder } from './name-finder.js';
import { areSeveral, insideOfName, ownNameOf, ownNamesOf } from './of-servers.js';
import { type Redact, redactDefinition, redactMembers } from './redact-texts.js';
import { inBothForms, withoutParts } from './text-redaction.js';
import { uriVariantsOf } from './uri-variants.js';
import { decisionOnName } from './visibility.js';

/** The names that the texts of one server can mention in a list, and what each identifies. */
interface Names {
  readonly finder: Finder;
  readonly identities: ReadonlyMap<string, readonly string[]>;
}

/** What does not depend on a configuration is found once for each list: most definitions mention nothing. */
interface Known {
  /** The names by the server that knows them; those of all servers without one. */
  namesOf(server: string | undefined): Names;
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
  const { namesOf, mentioned } = knownOf(bound);
  const ofServers = new Map<string | undefined, ReturnType<typeof redactionFor>>();
  const definitions = shown.map((item) => {
    const names = mentioned.get(item);
    if (names === undefined) return item;
    const server = insideOf(item)?.slug;
    const found = ofServers.get(server) ?? redactionFor(bound, namesOf(server), configuration, isName);
    ofServers.set(server, found);
    return [...names].some(found.isHidden) ? redactDefinition(item, found.redact) : item;
  });
  const given = definitions.some((each, index) => each !== shown[index]) ? definitions : shown;
  redacted.set(shown, given);
  return given;
}

/** Removes the names of hidden primitives from the members of a list's result that are not its entries. */
export function redactRest(
  bound: Catalog<Primitive>,
  rest: Record<string, unknown>,
  configuration: Configuration,
): Record<string, unknown> {
  const { redact } = redactionFor(bound, knownOf(bound).namesOf(undefined), configuration, () => true);
  return redactMembers(rest, redact, new Set());
}

function knownOf(bound: Catalog<Primitive>): Known {
  const before = known.get(bound);
  if (before !== undefined) return before;
  const entries = KINDS.flatMap((kind) =>
    [...bound.policy.entries[kind].keys()].map((name) => [kind, name] as const),
  );
  const listed = bound.items.map((item) => identityOf(bound.kind, item));
  const outside = namesFor([...listed, ...entries.map(([, name]) => name)].map((name) => [name, name]));
  const servers = new Map<string | undefined, Names>();
  const namesOf = (server: string | undefined): Names => {
    const found =
      servers.get(server) ?? (areSeveral({ [bound.kind]: bound }) === true ? withOwn(server) : outside);
    servers.set(server, found);
    return found;
  };
  const withOwn = (server: string | undefined): Names => {
    const inLists = [...ownNamesOf(bound)].filter(([slug]) => server === undefined || slug === server);
    const unlisted = entries.flatMap(([kind, name]) =>
      ownNameOf(insideOfName(kind, name), server).map((own) => [own, name] as const),
    );
    const own = namesFor([...inLists.flatMap(([, names]) => [...names]), ...unlisted]);
    const identities = new Map(outside.identities);
    for (const [name, named] of own.identities)
      identities.set(name, [...(identities.get(name) ?? []), ...named]);
    return { finder: findersAsOne(outside.finder, own.finder), identities };
  };
  const mentioned = new Map<Primitive, ReadonlySet<string>>();
  for (const item of bound.items) {
    const { finder } = namesOf(insideOf(item)?.slug);
    const names = new Set<string>();
    const collect = inBothForms((text) => {
      for (const found of finder.find(text)) if (isName(found, text)) names.add(found.name);
      return text;
    });
    redactDefinition(item, collect);
    if (names.size > 0) mentioned.set(item, names);
  }
  const found = { namesOf, mentioned };
  known.set(bound, found);
  return found;
}

/** @param named names as texts have them, and what each identifies */
function namesFor(named: readonly (readonly [name: string, identity: string])[]): Names {
  const identities = new Map<string, readonly string[]>();
  for (const [name, identity] of named) {
    for (const form of [name, ...(name.includes(':') ? uriVariantsOf(name) : [])]) {
      const text = form.normalize('NFC');
      identities.set(text, [...(identities.get(text) ?? []), identity]);
    }
  }
  return { finder: new NameFinder(identities.keys()), identities };
}

/**
 * Returns which names are hidden, and what removes them. A name of this list that is shown tells nothing, also if something
 * hidden of another kind has it. A hidden name that is a part of a visible one stays.
 */
function redactionFor(
  bound: Catalog<Primitive>,
  { finder, identities }: Names,
  configuration: Configuration,
  counts: (found: FoundName, text: string) => boolean,
): { readonly isHidden: (name: string) => boolean; readonly redact: Redact } {
  // Texts can repeat a name any number of times.
  const decided = new Map<string, boolean>();
  const isHidden = (name: string): boolean => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    const found = (identities.get(name) ?? [name]).some(
      (identity) =>
        decisionOnName(bound, identity, configuration)?.effect !== 'show' &&
        isHiddenIdentity({ [bound.kind]: bound }, identity, configuration),
    );
    decided.set(name, found);
    return found;
  };
  const redact = inBothForms((text) => {
    const found = finder.find(text);
    const hidden = found.filter((each) => counts(each, text) && isHidden(each.name));
    const shown = found.filter(({ name }) => !isHidden(name));
    return hidden.length === 0 ? text : withoutParts(text, hidden, shown);
  });
  return { isHidden, redact };
}

/** Letters without a capital inside, or several such words. */
const ORDINARY = /^\p{L}[\p{Ll}\p{Lo}\p{M}\s]*$/u;
const QUOTE = /^["'`‘’“”«»]$/;

/** Whether what was found is meant as a name: it cannot be an ordinary word, or it stands in quotes. */
export const isName = ({ name, start, end }: FoundName, text: string): boolean =>
  !ORDINARY.test(name) || (QUOTE.test(text.charAt(start - 1)) && QUOTE.test(text.charAt(end)));
