import { wordSet } from './verbs.js';

/** Words around a thing that every task may need. */
const AROUND = wordSet(
  'add calculate compute convert current day generate get hour my roll sequential think tool unit wait zone',
);
/** The things, whatever a task is about. */
const TELLING = wordSet(
  'calc calculator clock date datetime echo help math now ping random sequentialthinking sleep sum thinking time timestamp',
  'timezone today units utc uuid whoami self me',
);

/**
 * Tells whether a tool is an everyday tool, such as a clock or a calculator. It fits every topic.
 *
 * @param words the words of its name
 * @example
 * isEveryday(['get', 'current', 'time']); // true
 */
export const isEveryday = (words: readonly string[]): boolean =>
  words.every((word) => AROUND.has(word) || TELLING.has(word)) && words.some((word) => TELLING.has(word));
