import {
  CHANGES,
  CODE,
  DESTROYS,
  LOOKED_UP,
  NOTIFIERS,
  NOUNS_TOO,
  READS,
  RESULTS,
  WEAK,
  WRITES,
} from './generated/word-lists.js';

/** What the calls of a tool may do, from harmless to harmful. */
export const EFFECTS = ['read-only', 'changes', 'destroys'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Behind a verb that runs something, it says that nothing is written: `Execute a read-only SQL query`. */
const ONLY_READS = 'readonly';

/** The words behind a verb that decide what it does, see `effectOfPhrase`. */
export const isTelling = (word: string): boolean =>
  CODE.has(word) || RESULTS.has(word) || LOOKED_UP.has(word) || word === ONLY_READS;

/** Whether a verb always adds, changes or removes something. */
export const isPlainWrite = (word: string): boolean => WRITES.has(word);

/** @returns the effect of a verb in its base form, whatever it acts on; `undefined` if it is not a known verb */
export function effectOfVerb(word = ''): Effect | undefined {
  if (DESTROYS.has(word)) return 'destroys';
  if (READS.has(word)) return 'read-only';
  return CHANGES.has(word) ? 'changes' : undefined;
}

/** Whether a verb adds, changes or removes something. */
export const isChange = (word: string): boolean => (effectOfVerb(word) ?? 'read-only') !== 'read-only';

/** @returns the verb that can do the most harm; `undefined` if there is none */
export const mostHarmful = (verbs: readonly string[]): string | undefined =>
  EFFECTS.toReversed().flatMap((effect) => verbs.filter((verb) => effectOfVerb(verb) === effect))[0];

/**
 * Tells what a verb and the words after it do.
 *
 * @param verb a word, in its base form
 * @param object the words after it
 * @returns the effect; `undefined` if the word is not a known verb
 * @example
 * effectOfPhrase('run', ['audit']); // 'read-only'
 */
export function effectOfPhrase(verb: string, object: readonly string[]): Effect | undefined {
  const runs = WEAK.has(verb) || verb === 'evaluate' || verb === 'invoke' || verb === 'send';
  const runsCode =
    (runs && object.some((word) => CODE.has(word))) || (object.includes('query') && isPlainWrite(verb));
  if (runsCode) return object.includes(ONLY_READS) ? 'read-only' : 'destroys';
  if (WEAK.has(verb) && object.some((word) => RESULTS.has(word))) return 'read-only';
  if ((verb === 'resolve' || verb === 'convert') && object.some((word) => LOOKED_UP.has(word)))
    return 'read-only';
  if ((verb === 'watch' || verb === 'ping') && object.some((word) => NOTIFIERS.has(word))) return 'changes';
  return effectOfVerb(verb);
}

/** Whether a word is a verb and not also a common noun. */
export const isOnlyVerb = (word: string): boolean => effectOfVerb(word) !== undefined && !NOUNS_TOO.has(word);

/**
 * Finds the base form of a known verb: `Creates`, `created` and `creating` are `create`.
 *
 * @param word a word in lower case
 * @returns the base form; `undefined` if the word is not a form of a known verb
 * @example
 * baseOfVerb('retrieves'); // 'retrieve'
 */
export function baseOfVerb(word: string): string | undefined {
  const stems = [
    word,
    word.replace(/s$/, ''),
    word.replace(/es$/, ''),
    word.replace(/ies$/, 'y'),
    word.replace(/ing$/, ''),
    word.replace(/ing$/, 'e'),
    // running, getting
    word.replace(/([a-z])\1ing$/, '$1'),
  ];
  return stems.find((stem) => effectOfVerb(stem) !== undefined);
}
