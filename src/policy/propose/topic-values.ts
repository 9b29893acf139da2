import { parentOf } from '../../engine/match/within.js';
import { LIMITS } from '../language/schema.js';
import type { Proposal } from './propose-policy.js';
import { OTHER } from './propose-topics.js';

/** The values of the concern `topic`, as a proposal writes them. */
export interface TopicValues {
  /** Each value with its description, parents before what is in them. */
  readonly values: readonly (readonly [value: string, description: string])[];
  /** Whether some topics are in others, so that the concern needs `match: within`. */
  readonly nested: boolean;
}

/** Names of tools in the description of a topic. */
const EXAMPLES = 3;

/**
 * Describes the topics of a proposal for the person or the model that chooses among them. Topics such as `finance.stocks`
 * and `finance.bonds` are in `finance`, which becomes a value too.
 *
 * @param proposal the proposed topics, and the tools of each
 * @returns the values
 * @example
 * topicValues(proposePolicy(catalog)).values[0]; // ['issue', 'Such as list_issues and close_issue']
 */
export function topicValues({ topics, tools, patterns }: Proposal): TopicValues {
  const namesOf = new Map<string, string[]>();
  for (const { name, topics: own } of tools) {
    for (const topic of own === 'any' ? [] : own) namesOf.set(topic, [...(namesOf.get(topic) ?? []), name]);
  }
  const servers = new Map(patterns.map(({ pattern, topic }) => [topic, pattern]));
  const { values, nested } = withParents(topics);
  return {
    nested,
    values: values.map((value) => {
      const names = namesOf.get(value) ?? [];
      if (value === OTHER) return [value, 'All other tools'];
      if (names.length === 0) return [value, `Everything in ${value}`];
      const pattern = servers.get(value);
      return [
        value,
        pattern === undefined
          ? `Such as ${inWords(names)}`
          : `Tools whose names begin with ${pattern.slice(0, -1)}`,
      ];
    }),
  };
}

/** Adds the topics above others, if several topics are in the same one. */
function withParents(topics: readonly string[]): {
  readonly values: readonly string[];
  readonly nested: boolean;
} {
  const counts = new Map(topics.map((topic) => [topic, 1]));
  for (const topic of topics) {
    const parent = parentOf(topic);
    if (parent !== undefined) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
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

function inWords(names: readonly string[]): string {
  const some = names.slice(0, EXAMPLES);
  const last = some.pop() ?? '';
  return some.length === 0 ? last : `${some.join(', ')} and ${last}`;
}
