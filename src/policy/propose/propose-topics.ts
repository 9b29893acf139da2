import { identityOf, type Primitive } from '../../engine/mapping.js';
import { LIMITS } from '../language/schema.js';
import { descriptionWords } from './description-words.js';
import { isEveryday } from './everyday.js';
import { type PrefixGroup, prefixGroups, wordsWithoutPrefix } from './gateway.js';
import { topicsFromTags, topicTagsOf, toValue } from './tags.js';
import type { TopicWords } from './topic-nouns.js';
import { topicsFromWords } from './topics-from-words.js';
import { countEach, singularOf, wordsOf } from './words.js';

/** The topics of the tools of a server. */
export interface ProposedTopics {
  /** The topics of each tool by name; `any` for an everyday tool, which fits every topic. Empty if there are no topics. */
  readonly topicsOf: ReadonlyMap<string, readonly string[] | 'any'>;
  /** The values of the concern, the largest topic first, `other` last. */
  readonly topics: readonly string[];
  readonly topicsFrom: 'tags' | 'prefixes' | 'words';
  /** For a gateway: the pattern of each server, with its topic. */
  readonly patterns: readonly { readonly pattern: string; readonly topic: string }[];
}

/** The value of a tool that fits every topic. */
const ANY = 'any';
/** The topic of the remaining tools. Without a value for the concern, every host would see them. */
export const OTHER = 'other';

/**
 * Proposes what the tools of a server are about: the server behind a gateway, else the tags, else the words of names and
 * descriptions.
 *
 * @param tools the tools, each name once
 * @param words the words of each name, without prefixes
 * @param server the name of the server, which is not a topic
 * @returns the topics of each tool, and all topics
 */
export function proposeTopics(
  tools: readonly Primitive[],
  words: ReadonlyMap<string, readonly string[]>,
  server: string,
): ProposedTopics {
  const names = tools.map((tool) => identityOf('tools', tool));
  const groups = prefixGroups(names);
  const everyday = (name: string): boolean => isEveryday(words.get(name) ?? []);
  if (groups.length > 0) return topicsOfGateway(names, groups, everyday);
  const tagged = topicsFromTags(tools.map(topicTagsOf));
  const found = topicsFromWords(topicWords(tools, words, server));
  const topicsOf = new Map(
    names.map((name, index): [string, readonly string[] | 'any'] => {
      const own = tagged?.[index] ?? [];
      if (own.length > 0) return [name, own];
      if (everyday(name)) return [name, 'any'];
      const topic = tagged === undefined ? found.get(name) : undefined;
      return [name, topic === undefined ? [OTHER] : toValue(topic)];
    }),
  );
  const leftOver = [...topicsOf.values()].filter((each) => each !== 'any' && each[0] === OTHER).length;
  const isWorthIt = tools.length >= FEW_TOOLS || leftOver <= MAX_LEFT_OVER * tools.length;
  if (tagged === undefined && (found.size === 0 || !isWorthIt)) return NO_TOPICS;
  const proposed = limited(topicsOf);
  // One topic divides nothing: every host that sets it sees everything.
  if (proposed.topics.length < 2) return NO_TOPICS;
  return { ...proposed, topicsFrom: tagged === undefined ? 'words' : 'tags', patterns: [] };
}

/** Of fewer tools, a person reads the whole list, so topics that leave out many of them help nobody. */
const FEW_TOOLS = 16;
const MAX_LEFT_OVER = 0.25;

const NO_TOPICS: ProposedTopics = { topicsOf: new Map(), topics: [], topicsFrom: 'words', patterns: [] };

function topicWords(
  tools: readonly Primitive[],
  words: ReadonlyMap<string, readonly string[]>,
  server: string,
): TopicWords[] {
  const names = tools.map((tool) => identityOf('tools', tool));
  // The name of the server is in front of all names and in many descriptions, but no topic.
  const inFront = names.flatMap((name) => {
    const [first = ''] = wordsOf(name);
    return words.get(name)?.[0] === first ? [] : [first];
  });
  const shared = new Set([...inFront, ...wordsOf(server)]);
  const all = tools.map((tool, index) => ({
    name: names[index] ?? '',
    words: words.get(names[index] ?? '') ?? [],
    nouns: descriptionWords(tool).nouns.filter((noun) => !shared.has(noun)),
  }));
  const singular = singularOf(all.flatMap((each) => [...each.words, ...each.nouns]));
  return all.map(({ name, words: own, nouns }) => ({
    name,
    words: own.map(singular),
    nouns: nouns.map(singular),
  }));
}

function topicsOfGateway(
  names: readonly string[],
  groups: readonly PrefixGroup[],
  everyday: (name: string) => boolean,
): ProposedTopics {
  const found = new Map<string, readonly string[] | 'any'>(names.map((name) => [name, [OTHER]]));
  const patterns: { pattern: string; topic: string }[] = [];
  for (const { prefix, names: own } of groups) {
    const [topic] = own.every(everyday) ? [ANY] : toValue(prefix.toLowerCase());
    if (topic === undefined) continue;
    for (const name of own) found.set(name, topic === ANY || everyday(name) ? ANY : [topic]);
    patterns.push({ pattern: `${prefix}*`, topic });
  }
  const { topics, topicsOf } = limited(found);
  const isKept = ({ topic }: { topic: string }): boolean => topic === ANY || topics.includes(topic);
  const rest = topics.includes(OTHER) ? [{ pattern: '*', topic: OTHER }] : [];
  return { topics, topicsOf, topicsFrom: 'prefixes', patterns: [...rest, ...patterns.filter(isKept)] };
}

/** Keeps the largest topics, because a concern has a limited number of values. The tools of the rest are in `other`. */
function limited(
  topicsOf: ReadonlyMap<string, readonly string[] | 'any'>,
): Pick<ProposedTopics, 'topicsOf' | 'topics'> {
  const sorted = [...countEach([...topicsOf.values()].flatMap((own) => (own === 'any' ? [] : own)))]
    .sort(
      ([a, some], [b, others]) =>
        Number(a === OTHER) - Number(b === OTHER) || others - some || (a < b ? -1 : 1),
    )
    .map(([topic]) => topic);
  if (sorted.length <= LIMITS.values) return { topicsOf, topics: sorted };
  const topics = [...sorted.filter((topic) => topic !== OTHER).slice(0, LIMITS.values - 1), OTHER];
  const known = new Set(topics);
  const kept = [...topicsOf].map(([name, own]): [string, readonly string[] | 'any'] => {
    if (own === 'any') return [name, own];
    const rest = own.filter((topic) => known.has(topic));
    return [name, rest.length === 0 ? [OTHER] : rest];
  });
  return { topicsOf: new Map(kept), topics };
}

/**
 * Finds the words of each tool's name, without the prefix of a gateway and without a first word that all tools of a server
 * share.
 *
 * @param names the names of all tools
 * @returns the words by name
 */
export function nameWords(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = prefixGroups(names);
  if (groups.length === 0) return wordsWithoutPrefix(names);
  return new Map([
    ...wordsWithoutPrefix(names),
    ...groups.flatMap(({ prefix, names: own }) => [...wordsWithoutPrefix(own, prefix)]),
  ]);
}
