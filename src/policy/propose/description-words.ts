import type { Primitive } from '../../engine/mapping.js';
import { baseOfVerb, effectOfVerb, isOnlyVerb, isTelling, mostHarmful, wordSet } from './verbs.js';
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
  const { words, description, inputSchema } = primitive as { readonly [field: string]: unknown };
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

const ARTICLES = wordSet('a an the');

const isNoun = (word: string): boolean =>
  word.length > 2 && !/^\d/.test(word) && !STOP_WORDS.has(word) && !isOnlyVerb(baseOfVerb(word) ?? word);

/** @returns the text up to the end of the first sentence, without a label such as "[Beta]" or "Server | " before it */
function firstSentence(description: string): string {
  const text = description.trim().replace(/^(\[[^\]]*\]\s*|[\w ]{1,24}\s\|\s)+/, '');
  return /^[\s\S]*?(?=[.!?](\s|$)|\n|$)/.exec(text)?.[0] ?? '';
}

/** Words before the verb of a description. Some of them are verbs themselves. */
const LEAD_IN = wordSet(
  'use used using tool function allow allows enable enables helps help lets let can will ability to',
);

/** Words that are never the subject of a tool. */
export const STOP_WORDS = wordSet(
  'a about above accessible across active additional advanced after against all allowed along also always an and another any are as at available back based be been before being',
  'below between both but by can cannot could current currently did do does done each either else entire etc every existing',
  'few first for from full further given global had has have her here his how if in including into is it its itself just',
  'large last later latest least less like long made main many may maximum me might minimum more most much multiple must my',
  'live local near necessary new next no non nor not now of off old on once one only open optional optionally or other our out over own',
  'particular per possible previous private provided public random raw recent related remote required reverse running same select selected several she short should',
  'similar simple since single small so some specific specified such than that the their them then there these they this',
  'those through time to together too two under unique unless until up upon used user-friendly using various via was we well',
  'were what when where whether which while who whole whose why will with within without you your',
);

/** Nouns that fit any tool, so a description alone does not make them a topic. */
export const GENERAL_NOUNS = wordSet(
  'ability access account action actions api app application array attribute attributes call capability case client collection',
  'content contents data default description detail detailed details entry example field fields filter filters format',
  'function functionality id identifier ids info information input instance item items json key kind level limit list lists',
  'mcp metadata mode name names number object objects operation operations option options output overview pagination parameter',
  'parameters part path paths point properties property provider query reference request response result results return server',
  'service set settings size something source state status string summary support system target task text thing things title',
  'tool tools type types url user users value values version view way window',
);

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];

function keptWords(words: unknown): DescriptionWords | undefined {
  if (typeof words !== 'object' || words === null || !('nouns' in words)) return undefined;
  const { verb, object, nouns, writes } = words as {
    [each in keyof DescriptionWords]?: unknown;
  };
  return {
    ...(typeof verb === 'string' ? { verb } : {}),
    ...(Array.isArray(object) ? { object: textsIn(object) } : {}),
    nouns: textsIn(nouns),
    ...(typeof writes === 'string' ? { writes } : {}),
  };
}
