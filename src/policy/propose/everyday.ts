import { wordSet } from './verbs.js';

/** Words for things that every task may need, whatever it is about. */
const EVERYDAY = wordSet(
  'add calc calculate calculator clock compute convert current date datetime day echo generate get help hour math me my now ping',
  'random roll self sequential sequentialthinking sleep sum think thinking time timestamp timezone today tool unit units utc',
  'uuid wait whoami zone',
);
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
  words.every((word) => EVERYDAY.has(word)) && words.some((word) => TELLING.has(word));
