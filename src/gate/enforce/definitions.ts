import type { Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS } from '../../engine/policy.js';
import type { Catalog } from '../../engine/select.js';
import { isHiddenIdentity } from './hidden-names.js';
import { type FoundName, NameFinder } from './name-finder.js';
import { type Redact, redactDefinition, redactMembers } from './redact-texts.js';
import { inBothForms, withoutParts } from './text-redaction.js';
import { uriVariantsOf } from './uri-variants.js';
import { decisionOnName } from './visibility.js';

/** The names that texts of a list can mention: those of the list, and those of the policy's entries. */
interface Known {
  readonly finder: NameFinder;
  /** What each name identifies. */
  readonly identities: ReadonlyMap<string, string>;
  /** The names in each definition. One that mentions none is missing. */
  readonly mentioned: ReadonlyMap<Primitive, ReadonlySet<string>>;
}

/** What does not depend on a configuration is found once for each list: most definitions mention nothing. */
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
  const { finder, mentioned, ...names } = knownOf(bound);
  const isHidden = hiddenTest(bound, names, configuration);
  const redact = redactionWith(finder, isHidden, isName);
  const definitions = shown.map((item) =>
    [...(mentioned.get(item) ?? [])].some(isHidden) ? redactDefinition(item, redact) : item,
  );
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
  const { finder, ...names } = knownOf(bound);
  return redactMembers(
    rest,
    redactionWith(finder, hiddenTest(bound, names, configuration), () => true),
    new Set(),
  );
}

function knownOf(bound: Catalog<Primitive>): Known {
  const before = known.get(bound);
  if (before !== undefined) return before;
  const listed = bound.items.map((item) => identityOf(bound.kind, item));
  const entries = KINDS.flatMap((kind) => [...bound.policy.entries[kind].keys()]);
  const identities = new Map(
    [...listed, ...entries].flatMap((identity) =>
      [identity, ...(identity.includes(':') ? uriVariantsOf(identity) : [])].map((name) => [
        name.normalize('NFC'),
        identity,
      ]),
    ),
  );
  const finder = new NameFinder(identities.keys());
  const mentioned = new Map<Primitive, ReadonlySet<string>>();
  for (const item of bound.items) {
    const names = new Set<string>();
    const collect = inBothForms((text) => {
      for (const found of finder.find(text)) if (isName(found, text)) names.add(found.name);
      return text;
    });
    redactDefinition(item, collect);
    if (names.size > 0) mentioned.set(item, names);
  }
  const found = { finder, identities, mentioned };
  known.set(bound, found);
  return found;
}

/** A name of this list that is shown tells nothing, also if something hidden of another kind has it. */
function hiddenTest(
  bound: Catalog<Primitive>,
  { identities }: Pick<Known, 'identities'>,
  configuration: Configuration,
): (name: string) => boolean {
  // Texts can repeat a name any number of times.
  const decided = new Map<string, boolean>();
  return (name) => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    const identity = identities.get(name) ?? name;
    const isHidden =
      decisionOnName(bound, identity, configuration)?.effect !== 'show' &&
      isHiddenIdentity({ [bound.kind]: bound }, identity, configuration);
    decided.set(name, isHidden);
    return isHidden;
  };
}

/** A hidden name that is a part of a visible one stays. */
function redactionWith(
  finder: NameFinder,
  isHidden: (name: string) => boolean,
  counts: (found: FoundName, text: string) => boolean,
): Redact {
  return inBothForms((text) => {
    const found = finder.find(text);
    const hidden = found.filter((each) => counts(each, text) && isHidden(each.name));
    return hidden.length === 0
      ? text
      : withoutParts(
          text,
          hidden,
          found.filter(({ name }) => !isHidden(name)),
        );
  });
}

/** Letters without a capital inside, or several such words. */
const ORDINARY = /^\p{L}[\p{Ll}\p{Lo}\p{M}\s]*$/u;
const QUOTE = /^["'`‘’“”«»]$/;

/** Whether what was found is meant as a name: it cannot be an ordinary word, or it stands in quotes. */
const isName = ({ name, start, end }: FoundName, text: string): boolean =>
  !ORDINARY.test(name) || (QUOTE.test(text.charAt(start - 1)) && QUOTE.test(text.charAt(end)));
