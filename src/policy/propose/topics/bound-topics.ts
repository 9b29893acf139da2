import { groupBy } from '../../../once.js';
import { LIMITS } from '../../language/schema.js';
import { countEach, type WordsByName } from '../words/words.js';
import { type Cluster, mergeClusters } from './cluster.js';
import { similarityOf, tellingWords } from './similarity.js';
import { type TopicWords, tellingNouns } from './topic-nouns.js';

/** A topic with fewer tools is not worth a choice. */
const MIN_SIZE = 3;
/** A larger share of tools without a topic makes the topics useless. */
const MAX_OTHER = 0.1;
/** A topic with more tools, or a larger share of them, hides too little. Of very many tools, more are allowed. */
const MAX_SIZE = 40;
const MAX_SHARE = 0.25;
const MOST_TOPICS = LIMITS.values / 2;
/** Tools in a topic, on average. */
const WANTED_SIZE = 6;
/** Tools of one topic that is too large belong together more than others. */
const SIBLINGS = 0.3;
/** Comparing all pairs of more tools takes too long, so they are compared in parts. */
const PART = 300;
/** Of less similar tools, a small group and another one have nothing in common. */
const LEAST_SIMILAR = 0.08;

/**
 * Keeps topics within bounds: at least 3 tools, at most 40 and a quarter of all, and at most a tenth of the tools left over.
 * What is outside is divided, or joined with what is similar.
 *
 * @param tools the tools that need a topic, in the order of the list
 * @param found the topics that were found
 * @param total the number of all tools
 * @returns the topics, none for a tool that is left over; `undefined` if there are none within the bounds
 */
export function boundTopics(
  tools: readonly TopicWords[],
  found: WordsByName,
  total: number,
): WordsByName | undefined {
  const largest = Math.min(Math.max(MAX_SIZE, Math.ceil(total / MOST_TOPICS)), Math.floor(MAX_SHARE * total));
  const sizes = countEach([...found.values()].flat());
  const isLarge = (topic: string): boolean => (sizes.get(topic) ?? 0) > largest;
  const isRight = (topic: string): boolean => (sizes.get(topic) ?? 0) >= MIN_SIZE && !isLarge(topic);
  const result = new Map(tools.map(({ name }) => [name, (found.get(name) ?? []).filter(isRight)]));
  const topicOf = (index: number): string | undefined => result.get(tools[index]?.name ?? '')?.[0];
  const formers = tools.map(({ name }) => found.get(name)?.[0] ?? '');
  const former = (index: number): string => formers[index] ?? '';
  const indexes = [...tools.keys()];
  const open = indexes.filter((index) => topicOf(index) === undefined);
  const mayRemain = Math.floor(MAX_OTHER * total);
  if (open.length <= mayRemain && open.every((index) => former(index) === '')) return result;
  const words = similarityOf(tools);
  const similarity = (a: number, b: number): number =>
    words(a, b) + (former(a) === former(b) && isLarge(former(a)) ? SIBLINGS : 0);
  const placed = indexes.filter((index) => topicOf(index) !== undefined);
  const fixed = groupBy(placed, topicOf);
  // Tools of a topic that is too small stay together, those of one that is too large are divided.
  const units = groupBy(open, (index) =>
    former(index) === '' || isLarge(former(index)) ? index : former(index),
  );
  const begun: Cluster[] = [
    ...(tools.length > PART ? [] : [...fixed].map(([topic = '', members]) => ({ topic, members }))),
    ...[...units.values()]
      .sort(([a = 0], [b = 0]) => Number(former(a) > former(b)) - Number(former(a) < former(b)) || a - b)
      .map((members) => ({ members })),
  ];
  const canJoin = (a: Cluster, b: Cluster): boolean =>
    a.members.length + b.members.length <= largest && (a.topic === undefined || b.topic === undefined);
  const isSmall = ({ members }: Cluster): boolean => members.length < MIN_SIZE;
  const restOf = (all: readonly Cluster[]) => all.filter(isSmall).flatMap(({ members }) => members);
  const parts = groupBy(begun.entries(), ([index]) => Math.floor(index / PART));
  const merged = [...parts.values()].flatMap((part) => {
    const own = part.reduce((sum, [, { members }]) => sum + members.length, 0);
    const wanted = Math.min(
      Math.ceil(own / Math.min(WANTED_SIZE, largest)),
      Math.ceil(MOST_TOPICS / parts.size),
    );
    const joined = mergeClusters(
      part.map(([, each]) => each),
      similarity,
      (a, b, average, all) =>
        canJoin(a, b) && (all.length > wanted || ((isSmall(a) || isSmall(b)) && average >= LEAST_SIMILAR)),
    );
    // The tools of groups that are still too small go to the most similar others, until few enough are left over.
    return mergeClusters(
      joined.flatMap((each): readonly Cluster[] =>
        isSmall(each) ? each.members.map((member) => ({ members: [member] })) : [each],
      ),
      similarity,
      (a, b, _average, all) =>
        canJoin(a, b) && isSmall(a) !== isSmall(b) && restOf(all).length > mayRemain / parts.size,
    );
  });
  const groups = merged.filter((each) => !isSmall(each));
  const rest = restOf(merged);
  if (rest.length > mayRemain) {
    // All groups are full, so the rest is a group of its own, or there are no bounds that it fits.
    if (rest.length < MIN_SIZE || rest.length > largest) return undefined;
    groups.push({ members: rest });
  }
  const labels = labelsOf(groups, tools, former, isLarge);
  for (const [index, { members }] of groups.entries()) {
    for (const member of members.filter((each) => topicOf(each) === undefined))
      result.set(tools[member]?.name ?? '', [labels[index] ?? '']);
  }
  return new Set([...result.values()].flat()).size >= LIMITS.values ? undefined : result;
}

/** @returns a label for each group: the topic that it had, its two topics, or the two words that tell most about it */
function labelsOf(
  groups: readonly Cluster[],
  tools: readonly TopicWords[],
  former: (index: number) => string,
  isLarge: (topic: string) => boolean,
): string[] {
  const nouns = tools.map(tellingNouns(tools));
  const telling = tellingWords(groups.map(({ members }) => members.map((index) => nouns[index] ?? [])));
  const used = new Set(groups.flatMap(({ topic }) => topic ?? []));
  return groups.map(({ members, topic }, index) => {
    if (topic !== undefined) return topic;
    const topics = [...new Set(members.map(former))].filter((each) => each !== '');
    const divided = topics.filter(isLarge);
    // Parts of one large topic keep its name in front.
    const front = topics.length === 1 ? divided : [];
    const inFront = new Set(front.flatMap((each) => each.split('-')));
    const words = [...front, ...(telling[index] ?? []).filter((word) => !inFront.has(word))];
    const [first = 'group', second = '', third = ''] = words;
    const candidates = [
      divided.length === 0 && topics.length < 3 ? topics : [],
      [first, second],
      [first, third],
      [first, second, third],
      ...groups.map((_group, number) => [first, String(number + 2)]),
    ].map((parts) => parts.filter(Boolean).join('-').slice(0, 64));
    const label = candidates.find((each) => each !== '' && !used.has(each)) ?? '';
    used.add(label);
    return label;
  });
}
