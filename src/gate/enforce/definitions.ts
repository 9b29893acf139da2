import type { Configuration } from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import type { Catalog } from '../../engine/select.js';
import { insideOf } from '../../wire/server-names.js';
import { type HiddenNames, hiddenNames, namesIn } from './hidden-names.js';
import { type FoundName, HIDDEN, outside, replaceParts } from './name-finder.js';
import { type Redact, redactDefinition, redactMembers } from './redact-texts.js';
import { inBothForms } from './text-redaction.js';
import { decisionOnName } from './visibility.js';

/** The names in each definition of a list. One that mentions none is missing, as most do. */
type Mentioned = ReadonlyMap<Primitive, ReadonlySet<string>>;

/** What does not depend on a configuration is found once for each list. */
const known = new WeakMap<Catalog<Primitive>, Mentioned>();
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
  const mentioned = mentionedIn(bound);
  const ofServers = new Map<string | undefined, HiddenNames>();
  const definitions = shown.map((item) => {
    const names = mentioned.get(item);
    if (names === undefined) return item;
    const server = insideOf(item)?.slug;
    const hidden = ofServers.get(server) ?? hiddenIn(bound, configuration, server);
    ofServers.set(server, hidden);
    return [...names].some(hidden.isHidden) ? redactDefinition(item, redactionOf(hidden, isName)) : item;
  });
  const given = definitions.some((each, index) => each !== shown[index]) ? definitions : shown;
  redacted.set(shown, given);
  return given;
}

/** Removes the names of hidden primitives from the members of a list's result that are not its entries. */
export const redactRest = (
  bound: Catalog<Primitive>,
  rest: Record<string, unknown>,
  configuration: Configuration,
): Record<string, unknown> =>
  redactMembers(
    rest,
    redactionOf(hiddenIn(bound, configuration), () => true),
    new Set(),
  );

/** A name of this list that is shown tells nothing, also if something hidden of another kind has it. */
const hiddenIn = (bound: Catalog<Primitive>, configuration: Configuration, server?: string): HiddenNames =>
  hiddenNames(
    { [bound.kind]: bound },
    configuration,
    server,
    (identity) => decisionOnName(bound, identity, configuration)?.effect === 'show',
  );

const redactionOf = (hidden: HiddenNames, counts: typeof isName): Redact =>
  inBothForms((text) => {
    const found = hidden.find(text).filter((each) => counts(each, text));
    // One that is a part of a visible name is another name.
    return found.length === 0 ? text : replaceParts(text, outside(found, hidden.findShown(text)), HIDDEN);
  });

function mentionedIn(bound: Catalog<Primitive>): Mentioned {
  const before = known.get(bound);
  if (before !== undefined) return before;
  const mentioned = new Map<Primitive, ReadonlySet<string>>();
  for (const item of bound.items) {
    const { find } = namesIn({ [bound.kind]: bound }, bound.policy, insideOf(item)?.slug);
    const names = new Set<string>();
    const collect = inBothForms((text) => {
      for (const found of find(text)) if (isName(found, text)) names.add(found.name);
      return text;
    });
    redactDefinition(item, collect);
    if (names.size > 0) mentioned.set(item, names);
  }
  known.set(bound, mentioned);
  return mentioned;
}

/** Letters without a capital inside, or several such words. */
const ORDINARY = /^\p{L}[\p{Ll}\p{Lo}\p{M}\s]*$/u;
const QUOTE = /^["'`‘’“”«»]$/;

/** Whether what was found is meant as a name: it cannot be an ordinary word, or it stands in quotes. */
export const isName = ({ name, start, end }: FoundName, text: string): boolean =>
  !ORDINARY.test(name) || (QUOTE.test(text.charAt(start - 1)) && QUOTE.test(text.charAt(end)));
