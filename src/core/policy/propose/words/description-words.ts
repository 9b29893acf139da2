import { membersOf } from '../../../engine/expression/evaluate.js';
import type { Primitive } from '../../../engine/mapping.js';
import { ARTICLES, LEAD_IN, STOP_WORDS } from './generated/word-lists.js';
import { baseOfVerb, effectOfVerb, isOnlyVerb, isTelling, mostHarmful } from './verbs.js';
import { wordsOf } from './words.js';
import { signOfWriting } from './writes.js';

/** What a proposal reads from the description of a primitive. A catalog of facts keeps this instead of the description. */
export interface DescriptionWords {
  /** The first verb of the first sentence, in its base form. */
  readonly verb?: string;
  /** Words after it that decide what it does: `run` alone says little. */
  readonly object?: readonly string[];
  /** The nouns of the first sentence, in alphabetical order. */
  readonly nouns: readonly string[];
  /** What says that it writes, such as `write operation`, or `delete` among its actions. */
  readonly writes?: string;
}

/** The field of a catalog of facts that holds the words. */
export const WORDS_FIELD = 'words';

/**
 * Reads the words of a description, or those that a catalog of facts kept of it.
 *
 * @param primitive a primitive as the server lists it, or its facts
 * @returns the words; no nouns if there is no description
 * @example
 * descriptionWords({ name: 'x', description: 'Lists the open issues.' }); // { verb: 'list', nouns: ['issues', 'open'] }
 */
export function descriptionWords(primitive: Primitive): DescriptionWords {
  const { words, description, inputSchema } = membersOf(primitive);
  const kept = keptWords(words);
  if (kept !== undefined) return kept;
  const text = typeof description === 'string' ? description : '';
  const sentence = firstSentence(text);
  const writes = signOfWriting(text, sentence, inputSchema);
  return { ...wordsOfSentence(sentence), ...(writes === undefined ? {} : { writes }) };
}

/** How many nouns are kept: enough to find the topic, too few to restore the sentence. */
const MAX_NOUNS = 8;
/** The verb is one of the first words, behind "This tool", "Use this to" or "Allows you to". */
const VERB_WITHIN = 6;
/** The object follows its verb closely: "Execute a read-only SQL query". */
const OBJECT_WITHIN = 5;

function wordsOfSentence(sentence: string): DescriptionWords {
  const words = wordsOf(sentence.replace(/\bread[- ]only\b/i, 'readonly'));
  // What follows an article or "of" is a noun: "The set of permissions".
  const at = words
    .slice(0, VERB_WITHIN)
    .findIndex(
      (word, index) =>
        !LEAD_IN.has(word) &&
        baseOfVerb(word) !== undefined &&
        !words.slice(0, index).includes('of') &&
        !ARTICLES.has(words[index - 1] ?? ''),
    );
  const first = words[at];
  const rest = words.slice(at + 1);
  const verbs = first === undefined ? [] : verbsFrom(sentence, first, rest);
  const verb = mostHarmful(verbs.flatMap((word) => baseOfVerb(word) ?? []));
  const object = rest.slice(0, OBJECT_WITHIN).filter(isTelling);
  return {
    ...(verb === undefined ? {} : { verb }),
    ...(verb === undefined || object.length === 0 ? {} : { object }),
    nouns: [...new Set(rest.filter(isNoun).slice(0, MAX_NOUNS))].sort(),
  };
}

/** @returns the verb and those listed with it: "List, create or close a tab"; for "Manage tags", all verbs of the sentence */
function verbsFrom(sentence: string, first: string, rest: readonly string[]): string[] {
  if (baseOfVerb(first) === 'manage')
    return [
      first,
      ...rest.filter((word) => isOnlyVerb(baseOfVerb(word) ?? '') || effectOfVerb(word) === 'destroys'),
    ];
  const listed = new RegExp(`\\b${first}\\b((?:\\s*(?:,|/|,?\\s*\\b(?:and|or)\\b)\\s*\\w+)+)`, 'i').exec(
    sentence,
  );
  return [first, ...wordsOf(listed?.[1] ?? '')];
}

const isNoun = (word: string): boolean =>
  word.length > 2 && !/^\d/.test(word) && !STOP_WORDS.has(word) && !isOnlyVerb(baseOfVerb(word) ?? word);

/** @returns the text up to the end of the first sentence, without a label such as "[Beta]" or "Server | " before it */
function firstSentence(description: string): string {
  const text = description.trim().replace(/^(\[[^\]]*\]\s*|[\w ]{1,24}\s\|\s)+/, '');
  return /^[\s\S]*?(?=[.!?](\s|$)|\n|$)/.exec(text)?.[0] ?? '';
}

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];

function keptWords(words: unknown): DescriptionWords | undefined {
  const { verb, object, nouns, writes } = membersOf(words);
  if (nouns === undefined) return undefined;
  return {
    ...(typeof verb === 'string' ? { verb } : {}),
    ...(Array.isArray(object) ? { object: textsIn(object) } : {}),
    nouns: textsIn(nouns),
    ...(typeof writes === 'string' ? { writes } : {}),
  };
}
