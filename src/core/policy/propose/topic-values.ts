import { parentOf } from '../../engine/match/within.js';
import { LIMITS } from '../language/schema.js';
import type { Proposal } from './propose-policy.js';
import { OTHER } from './topics/propose-topics.js';
import { countEach, wordsOf } from './words/words.js';

/** Names of tools in the description of a topic. */
const EXAMPLES = 3;
/** A longer description costs more than it tells. */
const MAX_LENGTH = 120;

/** The values of the concern `topic`. */
export interface TopicValues {
  /** Whether some are in others. */
  readonly nested: boolean;
  readonly values: readonly (readonly [value: string, description: string])[];
}

/**
 * Describes the topics of a proposal for the person or the model that chooses among them. Topics such as `finance.stocks`
 * and `finance.bonds` are in `finance`, which becomes a value too.
 *
 * @param proposal the proposed topics, and the tools of each
 * @returns each value with its description, parents before what is in them, and whether some topics are in others, so that
 *   the concern needs `match: within`
 * @example
 * topicValues(proposePolicy(catalog)).values[0]; // ['issue', 'list_issues, close_issue; label, assignee']
 */
export function topicValues({ topics, tools, topicWords }: Proposal): TopicValues {
  const { values, nested } = withParents(topics);
  return {
    nested,
    values: values.map((value): readonly [value: string, description: string] => {
      const own = tools.filter((tool) => tool.topics !== 'any' && tool.topics.includes(value));
      if (own.length === 0) return [value, `Everything in ${value}`];
      const front = value === OTHER ? 'All other tools: ' : '';
      const names = own.map(({ name }) => name);
      return [value, describe(front, names, topicWords.get(value) ?? [])];
    }),
  };
}

/** Adds the topics above others, if several topics are in the same one. */
function withParents(topics: readonly string[]) {
  const counts = countEach([...topics, ...topics.flatMap((topic) => parentOf(topic) ?? [])]);
  const nested = topics.some((topic) => (counts.get(parentOf(topic) ?? '') ?? 0) > 1);
  const values = new Set(topics.flatMap((topic) => [...parentsOf(topic), topic]));
  return nested && values.size <= LIMITS.values
    ? { values: [...values], nested }
    : { values: topics, nested: false };
}

function parentsOf(topic: string): string[] {
  const parent = parentOf(topic);
  return parent === undefined ? [] : [...parentsOf(parent), parent];
}

/** @returns three names of tools, and then the words that tell these tools from others, as many as fit */
export function describe(front: string, names: readonly string[], words: readonly string[]): string {
  const [first = '', ...examples] = names.slice(0, EXAMPLES);
  const inNames = new Set([first, ...examples].flatMap(wordsOf));
  const telling = words.filter((word) => !inNames.has(word));
  const rest = [
    ...examples.map((name) => `, ${name}`),
    ...telling.map((word, index) => `${index === 0 ? ';' : ','} ${word}`),
  ];
  return rest.reduce(
    (text, part) => (text.length + part.length <= MAX_LENGTH ? text + part : text),
    `${front}${first}`.slice(0, MAX_LENGTH),
  );
}
