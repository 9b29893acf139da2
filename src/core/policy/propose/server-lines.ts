import { identityOf, type ServerCatalog } from '../../engine/mapping.js';
import { describe } from './topic-values.js';
import { isEveryday, nameWords, topicWords } from './topics/propose-topics.js';
import { tellingWords } from './topics/telling-words.js';
import { tellingNouns } from './topics/topic-nouns.js';

/**
 * Describes servers in one line each, for the person or the model that chooses among them: three names of tools, and the words
 * that tell the server from the others.
 *
 * @param servers the catalog of each server by its key
 * @returns the line of each server that has tools
 * @example
 * serverLines(new Map([['time', catalog]])).get('time'); // 'get_current_time, convert_time; timezone'
 */
export function serverLines(servers: ReadonlyMap<string, ServerCatalog>): ReadonlyMap<string, string> {
  const all = [...servers].flatMap(([key, { tools = [] }]) => {
    const words = topicWords(tools, wordsIn(tools), key);
    return tools.length === 0 ? [] : [{ key, words }];
  });
  const nounsOf = tellingNouns(all.flatMap(({ words }) => words));
  const telling = tellingWords(all.map(({ words }) => words.map(nounsOf)));
  const lines = all.map(({ key, words }, index): [string, string] => {
    const names = words.map(({ name }) => name);
    return [key, describe('', names, telling[index] ?? [])];
  });
  return new Map(lines);
}

/** @returns the names of everyday tools, which fit every topic, also those of other servers */
export function everydayTools({ tools = [] }: ServerCatalog): string[] {
  return [...wordsIn(tools)].flatMap(([name, words]) => (isEveryday(words) ? [name] : []));
}

const wordsIn = (tools: NonNullable<ServerCatalog['tools']>) =>
  nameWords(tools.map((tool) => identityOf('tools', tool)));
