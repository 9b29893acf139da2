import { identityOf, type Primitive } from '../../../engine/mapping.js';
import { descriptionWords } from '../words/description-words.js';
import { AROUND_EVERYDAY, EVERYDAY } from '../words/generated/word-lists.js';
import { countEach, singularOf, type WordsByName, wordsOf } from '../words/words.js';
import { type PrefixGroup, prefixGroups, wordsWithoutPrefix } from './gateway.js';
import { topicsFromNames, withSubTopics } from './name-topics.js';
import { topicsFromTags, toValue } from './tags.js';
import { tellingWords } from './telling-words.js';
import { type TopicWords, tellingNouns } from './topic-nouns.js';

/** The topics of the tools of a server. */
export interface ProposedTopics {
  /** The topics of each tool by name; `any` for an everyday tool, which fits every topic. Empty if there are no topics. */
  readonly topicsOf: ReadonlyMap<string, readonly string[] | 'any'>;
  /** The values of the concern, the largest topic first, `other` last. */
  readonly topics: readonly string[];
  readonly topicsFrom: 'tags' | 'prefixes' | 'words';
  /** The words that tell the tools of each topic from the others, best first. */
  readonly topicWords: WordsByName;
  /** Why there are no topics. */
  readonly without?: 'few tools' | 'no shared words' | 'small savings';
  /** For a gateway: the pattern of each server that is a topic. */
  readonly patterns: readonly { readonly pattern: string; readonly topic: string }[];
}

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
  words: WordsByName,
  server: string,
): ProposedTopics {
  if (tools.length < FEW_TOOLS) return noTopics('few tools');
  const names = tools.map((tool) => identityOf('tools', tool));
  const all = topicWords(tools, words, server);
  const groups = prefixGroups(names);
  const tagged = groups.length > 0 ? undefined : topicsFromTags(tools);
  const topicsFrom = groups.length > 0 ? 'prefixes' : tagged === undefined ? 'words' : 'tags';
  const prefixes = groups.flatMap(({ prefix, names: own }) =>
    own.map((name) => [name, toValue(prefix.toLowerCase())] as const),
  );
  const everyday = new Set(names.filter((name) => isEveryday(words.get(name) ?? [])));
  // A tag is meant for its tool, also for an everyday one.
  const topical = all.filter(({ name }) => !everyday.has(name) || (tagged?.get(name) ?? []).length > 0);
  const found =
    groups.length > 0 ? new Map(prefixes) : (tagged ?? topicsFromNames(topical, new Set(wordsOf(server))));
  if (found === undefined) return noTopics('no shared words');
  const bounded = withSubTopics(topical, found);
  const topicsOf = new Map(
    names.map((name): [string, readonly string[] | 'any'] => {
      const own =
        everyday.has(name) && !(tagged?.get(name) ?? []).length ? undefined : (bounded.get(name) ?? []);
      return [name, own === undefined ? 'any' : own.length === 0 ? [OTHER] : own];
    }),
  );
  const counts = countEach([...topicsOf.values()].flatMap((own) => (own === 'any' ? [] : own)));
  const everywhere = tools.length - topical.length;
  const shown = [...counts.values()].map((size) => (size * (size + everywhere)) / tools.length);
  const isSmall = shown.reduce((sum, each) => sum + each, 0) > (1 - LEAST_SAVED) * topical.length;
  if (isSmall || counts.size < 2) return noTopics('small savings');
  const topics = [...counts]
    .sort(
      ([a, some], [b, others]) =>
        Number(a === OTHER) - Number(b === OTHER) || others - some || (a < b ? -1 : 1),
    )
    .map(([topic]) => topic);
  return {
    topicsOf,
    topics,
    topicsFrom,
    topicWords: wordsOfTopics(topics, topicsOf, all),
    patterns: groups.length === 0 ? [] : patternsOf(groups, topicsOf, counts.has(OTHER)),
  };
}

/** A person, and a model, reads the whole list of fewer tools. */
const FEW_TOOLS = 12;
/** Of all tools, by one topic on average. */
const LEAST_SAVED = 0.1;

const noTopics = (without: ProposedTopics['without'] & string): ProposedTopics => ({
  topicsOf: new Map(),
  topics: [],
  topicsFrom: 'words',
  topicWords: new Map(),
  patterns: [],
  without,
});

function wordsOfTopics(
  topics: readonly string[],
  topicsOf: ProposedTopics['topicsOf'],
  tools: readonly TopicWords[],
): WordsByName {
  const nounsOf = tellingNouns(tools);
  const members = topics.map((topic) => tools.filter(({ name }) => topicsOf.get(name)?.includes(topic)));
  const telling = tellingWords(members.map((own) => own.map(nounsOf)));
  return new Map(topics.map((topic, index) => [topic, telling[index] ?? []]));
}

/** @returns a pattern for each server whose tools have one topic, so that its new tools get it too */
function patternsOf(
  groups: readonly PrefixGroup[],
  topicsOf: ProposedTopics['topicsOf'],
  hasOther: boolean,
): ProposedTopics['patterns'] {
  const own = groups.flatMap(({ prefix, names }) => {
    const values = names.map((name) => topicsOf.get(name) ?? []);
    const named = new Set(values.flatMap((each) => (each === 'any' ? [] : each)));
    const [topic = 'any', ...more] = named;
    return more.length > 0 || topic === OTHER ? [] : [{ pattern: `${prefix}*`, topic }];
  });
  return [...(hasOther ? [{ pattern: '*', topic: OTHER }] : []), ...own];
}

/** @returns the words of each tool that can tell its topic: those of its name, and the nouns of its description */
export function topicWords(tools: readonly Primitive[], words: WordsByName, server: string): TopicWords[] {
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

/**
 * Finds the words of each tool's name, without the prefix of a gateway and without a first word that all tools of a server
 * share.
 *
 * @param names the names of all tools
 * @returns the words by name
 */
export function nameWords(names: readonly string[]): WordsByName {
  const groups = prefixGroups(names);
  if (groups.length === 0) return wordsWithoutPrefix(names);
  return new Map([
    ...wordsWithoutPrefix(names),
    ...groups.flatMap(({ prefix, names: own }) => [...wordsWithoutPrefix(own, prefix)]),
  ]);
}

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
