import { identityOf, type Primitive } from '../../../src/core/engine/mapping.js';
import type { Proposal } from '../../../src/core/policy/propose/propose-policy.js';
import { nameWords, OTHER, topicWords } from '../../../src/core/policy/propose/topics/propose-topics.js';

/**
 * Finds the tools of topics whose word they have neither in their name nor in their description, and topics of words with a single tool.
 * The first part of a topic is the prefix of a server, where there are prefixes.
 */
export function misnamed({ tools, topics, topicsFrom }: Proposal, listed: readonly Primitive[]): string[] {
  const names = listed.map((each) => identityOf('tools', each));
  const wordsOf = new Map(
    topicWords(listed, nameWords(names), '').map(({ name, words, nouns }) => [
      name,
      new Set([...words, ...nouns]),
    ]),
  );
  return topics.flatMap((topic) => {
    const own = tools.filter(({ topics: each }) => each !== 'any' && each.includes(topic));
    if (topic === OTHER) return [];
    const parts = topic.split('.').slice(topicsFrom === 'words' ? 0 : 1);
    const wrong = own.filter(
      ({ name }) => !parts.every((part) => part.split('-').every((word) => wordsOf.get(name)?.has(word))),
    );
    return [
      ...(own.length < 2 && topicsFrom === 'words' ? [`${topic} has ${own.length} tool`] : []),
      ...wrong.map(({ name }) => `${name} is in ${topic}`),
    ];
  });
}
