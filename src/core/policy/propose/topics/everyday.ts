import { AROUND_EVERYDAY, EVERYDAY } from '../words/generated/word-lists.js';

/**
 * Tells whether a tool is an everyday tool, such as a clock or a calculator. It fits every topic.
 *
 * @param words the words of its name
 * @example
 * isEveryday(['get', 'current', 'time']); // true
 */
export const isEveryday = (words: readonly string[]): boolean =>
  words.every((word) => AROUND_EVERYDAY.has(word) || EVERYDAY.has(word)) &&
  words.some((word) => EVERYDAY.has(word));
