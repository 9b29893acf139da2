import { LIMITS } from '../../language/schema.js';
import { EMPTY_NOUNS, GENERAL_NOUNS } from '../words/generated/word-lists.js';
import { countEach, type WordsByName } from '../words/words.js';
import { toValue } from './tags.js';
import { findNouns, nounsOf, type TopicWords } from './topic-nouns.js';

/** Fewer tools are not worth a choice. */
const MIN_SIZE = 2;
/** A word in more names than this is about the whole server. */
const MAX_SHARE = 0.5;
/** Below this share of tools that share a word with others, words do not separate the tools. */
const MIN_NAMED = 0.5;
/** A group with more tools is divided in the same way. */
const LARGE = 20;
/** From this share of its names on, a word counts as a part of a two-word phrase instead of a topic of its own. */
const PHRASE_SHARE = 0.7;
/** A person cannot choose well from a long list. Servers with many tools need more topics. */
const maxTopics = (tools: number): number => Math.max(12, Math.ceil(tools / 6));

/**
 * Groups tools by the nouns that their names share. The name of a topic is a word that all of its tools have in their names, so
 * that a reader sees what belongs to it. A tool that has the words of several topics is in each of them.
 *
 * @param tools the words of each tool; words for the same thing are equal
 * @param platform the words of the name of the server, which do not become topics
 * @returns the topics of each tool, none for one that is left over; `undefined` if words do not separate the tools
 * @example
 * topicsFromNames([{ name: 'list_keys', words: ['list', 'key'], nouns: [] }, ...]); // Map { 'list_keys' => ['key'], ... }
 */
export function topicsFromNames(
  tools: readonly TopicWords[],
  platform: ReadonlySet<string>,
): WordsByName | undefined {
  return divided(tools, findNouns(tools), platform);
}

/**
 * Divides what is too large, in the same way. Its name stays in front: `web.instagram`.
 *
 * @param tools the tools that have topics
 * @param found the topics of each, from prefixes, tags or words
 */
export function withSubTopics(tools: readonly TopicWords[], found: WordsByName): WordsByName {
  const sizes = countEach([...found.values()].flat());
  const nouns = findNouns(tools);
  const result = new Map(found);
  let values = sizes.size;
  for (const [topic, size] of sizes) {
    if (size <= LARGE) continue;
    const own = tools.filter(({ name }) => found.get(name)?.includes(topic));
    const parts = divided(own, nouns, new Set(topic.split(/[-.]/)));
    const added = new Set([...(parts?.values() ?? [])].flat()).size;
    if (parts === undefined || values + added >= LIMITS.values / 1.1) continue;
    values += added;
    for (const [name, below] of parts) {
      const before = result.get(name) ?? [];
      if (below.length === 0) continue;
      result.set(name, [
        ...before.filter((each) => each !== topic),
        ...below.map((each) => `${topic}.${each}`),
      ]);
    }
  }
  return result;
}

function divided(
  tools: readonly TopicWords[],
  known: ReadonlySet<string>,
  above: ReadonlySet<string>,
): WordsByName | undefined {
  const nouns = new Map(tools.map(({ name, words }) => [name, nounsOf(words, known)]));
  const phrases = new Map([...nouns].map(([name, own]) => [name, phrasesOf(own)]));
  const counts = countEach([...phrases.values()].flatMap((own) => [...own]));
  const countOf = (phrase: string): number => counts.get(phrase) ?? 0;
  // Beside `pull_request` in most names, the task of `pull_request_task` is a `task`: `request-task` names nothing.
  const isAboutAll = (word: string): boolean => countOf(word) > MAX_SHARE * tools.length;
  const hasCommonPart = (phrase: string): boolean =>
    phrase.includes('-') && phrase.split('-').some(isAboutAll);
  // `task` is a thing of its own where several names have nothing else: `create_task`, `delete_task`.
  const alone = countEach(
    [...nouns.values()].flatMap((own) => {
      const telling = own.length === 1 ? own : own.filter((noun) => !isAboutAll(noun));
      return telling.length === 1 ? telling : [];
    }),
  );
  // If `merge` and `request` nearly always occur together, only `merge-request` can be a topic.
  const parts = new Set(
    [...counts].flatMap(([phrase, count]) =>
      hasCommonPart(phrase)
        ? []
        : phrase
            .split('-')
            .filter((word) => word !== phrase && count >= MIN_SIZE && count >= PHRASE_SHARE * countOf(word)),
    ),
  );
  const isUsable = (phrase: string): boolean =>
    countOf(phrase) >= MIN_SIZE &&
    countOf(phrase) <= MAX_SHARE * tools.length &&
    !parts.has(phrase) &&
    !hasCommonPart(phrase) &&
    (!GENERAL_NOUNS.has(phrase) || (alone.get(phrase) ?? 0) >= MIN_SIZE) &&
    !phrase.split('-').some((word) => above.has(word));
  const topics = new Map<string, string[]>(tools.map(({ name }) => [name, []]));
  const left = new Set(topics.keys());
  const most = maxTopics(tools.length);
  const add = (usable: readonly string[], membersOf: (phrase: string) => readonly string[]): number => {
    let added = 0;
    for (; new Set([...topics.values()].flat()).size < most; added++) {
      const [best] = usable
        .map((phrase) => {
          const own = membersOf(phrase);
          return { phrase, own, fresh: own.filter((name) => left.has(name)).length };
        })
        .filter(({ own, fresh }) => own.length >= MIN_SIZE && fresh > 1)
        .sort(
          (a, b) => b.fresh - a.fresh || b.phrase.length - a.phrase.length || (a.phrase < b.phrase ? -1 : 1),
        );
      if (best === undefined) break;
      for (const name of best.own) {
        const own = topics.get(name) ?? [];
        topics.set(name, [...own, ...toValue(best.phrase)]);
        left.delete(name);
      }
    }
    return added;
  };
  const all = [...counts.keys()].filter(isUsable);
  const names = tools.map(({ name }) => name);
  const has = (phrase: string) => (name: string) => phrases.get(name)?.has(phrase) === true;
  const chosen = add(all, (phrase) => names.filter(has(phrase)));
  if (chosen < 2 || left.size > (1 - MIN_NAMED) * tools.length) return undefined;
  // `task` can be in most names, and still name what is left: `create_task` beside `create_task_comment`.
  const frequent = [...alone.keys()].filter((noun) => !isUsable(noun) && !above.has(noun));
  add(frequent, (noun) => names.filter((name) => left.has(name) && has(noun)(name)));
  // A tool without such a word belongs where its description says it does.
  const found = new Set([...topics.values()].flat());
  for (const { name, nouns: described } of tools) {
    if (!left.has(name)) continue;
    topics.set(
      name,
      [...found].filter((topic) => topic.split('-').every((word) => described.includes(word))),
    );
  }
  return topics;
}

/** Returns the nouns of a name, and each pair of neighboring nouns as `first-second`. */
function phrasesOf(nouns: readonly string[]): ReadonlySet<string> {
  const pairs = nouns
    .slice(1)
    .flatMap((noun, index) => (nouns[index] === noun ? [] : [[`${nouns[index]}-${noun}`, noun] as const]));
  return new Set([
    ...nouns.filter((noun) => !EMPTY_NOUNS.has(noun)),
    ...pairs.flatMap(([pair, last]) => (EMPTY_NOUNS.has(last) ? [] : [pair])),
  ]);
}
