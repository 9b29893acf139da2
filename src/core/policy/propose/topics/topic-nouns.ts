import {
  ACTIONS,
  EMPTY_NOUNS,
  GENERAL_NOUNS,
  STOP_WORDS,
  VERBAL_NOUNS,
} from '../words/generated/word-lists.js';
import { effectOfVerb, isOnlyVerb } from '../words/verbs.js';
import { countEach } from '../words/words.js';

/** The words of one tool that may tell its topic. */
export interface TopicWords {
  readonly name: string;
  /** The words of the name, in their order. */
  readonly words: readonly string[];
  /** The nouns of the description. */
  readonly nouns: readonly string[];
}

/**
 * Finds the words that can be topics: those that stand where a name has nouns, and those of descriptions.
 *
 * @param tools the words of all tools of a server
 * @returns the nouns
 * @example
 * findNouns([{ name: 'list_keys', words: ['list', 'key'], nouns: [] }]); // Set { 'key' }
 */
export function findNouns(tools: readonly TopicWords[]): ReadonlySet<string> {
  const described = new Set(tools.flatMap(({ nouns }) => nouns));
  const verbFirst = tools.filter(({ words: [first] }) => effectOfVerb(first) !== undefined).length;
  // Where names begin with verbs, an unknown first word is probably a verb too.
  const startsWithVerbs = verbFirst > tools.length / 2;
  const isNounInFront = (first: string, rest: readonly string[]): boolean =>
    effectOfVerb(first) === undefined ? !startsWithVerbs || described.has(first) : rest.some(isOnlyVerb);
  const standing = tools.flatMap(({ words: [first = '', ...rest] }) =>
    isNounInFront(first, rest) ? [first, ...rest] : rest,
  );
  const behindVerbs = tools.flatMap(({ words }) =>
    words.filter((word, index) => VERBAL_NOUNS.has(word) && effectOfVerb(words[index - 1]) !== undefined),
  );
  const isVerbalNoun = (word: string): boolean => behindVerbs.filter((each) => each === word).length >= 2;
  const fits = (word: string): boolean =>
    word.length > 1 &&
    !/^\d/.test(word) &&
    // Participles: `annotated`, `related`.
    !/[^e]ed$/.test(word) &&
    !STOP_WORDS.has(word) &&
    (!isOnlyVerb(word) || isVerbalNoun(word));
  const plainly = [...described].filter((noun) => effectOfVerb(noun) === undefined);
  return new Set([...standing, ...plainly].filter(fits));
}

/**
 * @param words the words of a name
 * @param nouns the nouns of the server, from `findNouns`
 * @returns the nouns of the name, without the verb in front
 */
export function nounsOf(
  [first = '', ...rest]: readonly string[],
  nouns: ReadonlySet<string>,
): readonly string[] {
  // Nothing behind it can be the verb of the name.
  const isVerb = ACTIONS.has(first) && rest.length > 0 && !rest.some(isOnlyVerb);
  return [...(isVerb ? [] : [first]), ...rest].filter((word) => nouns.has(word));
}

/** A word of more tools names the platform, or what all tools are about. */
const MAX_SHARE = 0.5;

/** @returns a function that finds the nouns of a tool that can be part of a label: neither verbs nor words of the platform */
export function tellingNouns(all: readonly TopicWords[]): (tool: TopicWords) => readonly string[] {
  const nouns = findNouns(all);
  const own = ({ words, nouns: described }: TopicWords): string[] => [
    ...new Set([...nounsOf(words, nouns), ...described.filter((noun) => nouns.has(noun))]),
  ];
  const counts = countEach(all.flatMap(own));
  const isTelling = (noun: string): boolean =>
    /^[a-z][a-z0-9]+$/.test(noun) &&
    !GENERAL_NOUNS.has(noun) &&
    !EMPTY_NOUNS.has(noun) &&
    !isOnlyVerb(noun) &&
    (counts.get(noun) ?? 0) <= MAX_SHARE * all.length;
  return (tool) => own(tool).filter(isTelling);
}
