import { NO_PERSON, REACHES, REACHES_WITH, WITHOUT_REACH } from './words/generated/word-lists.js';
import { baseOfVerb } from './words/verbs.js';

/**
 * Tells from the name of a tool whether a call writes to people. About one of ten is wrong, so a policy says where it comes from.
 *
 * @param words the words of its name, without a prefix that all tools of the server have
 * @returns the verb that says so; `undefined` if none does
 * @example
 * reachesPeople(['send', 'mail']); // 'send'
 * reachesPeople(['create', 'reply', 'draft']); // undefined
 */
export function reachesPeople(words: readonly string[]): string | undefined {
  const verb = words.map((word) => baseOfVerb(word)).find((word) => word !== undefined);
  if (verb === undefined || words.some((word) => WITHOUT_REACH.has(word))) return undefined;
  if (words.some((word) => NO_PERSON.has(word))) return undefined;
  if (REACHES.has(verb)) return verb;
  return verb === 'post' && words.some((word) => REACHES_WITH.has(word)) ? verb : undefined;
}
