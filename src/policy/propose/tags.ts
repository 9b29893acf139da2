import { type Primitive, tagsOf } from '../../engine/mapping.js';
import { RESERVED } from '../language/schema.js';
import { countEach } from './words.js';

/**
 * Finds the tags and the category (`annotations.category`) that a server gives a tool.
 *
 * @param primitive the primitive as the server lists it
 * @returns the tags as the server writes them, none twice
 * @example
 * topicTagsOf({ name: 'x', _meta: { fastmcp: { tags: ['maps'] } } }); // ['maps']
 */
export function topicTagsOf(primitive: Primitive): string[] {
  const { annotations } = primitive;
  const category =
    typeof annotations === 'object' && annotations !== null && 'category' in annotations
      ? annotations.category
      : undefined;
  const found = [tagsOf(primitive), category].flat();
  return [...new Set(found.filter((tag): tag is string => typeof tag === 'string' && tag !== ''))];
}

/** A tag on more tools than this does not tell tools apart. */
const MAX_SHARE = 0.8;

/** Tags that tell what a call does, or how finished it is, instead of what it is about. */
const ABOUT_EFFECTS =
  /^(read|write|read.?only|read.?write|create|update|delete|get|list|set|add|remove|safe|unsafe|destructive|dangerous|idempotent|mutating|mutation|admin|public|internal|private|beta|alpha|stable|experimental|deprecated|v\d+)$/i;

/**
 * Chooses the topics of tools among their tags.
 *
 * @param tools the tags of each tool, from `topicTagsOf`
 * @returns the topics of each tool; `undefined` if tags do not tell the topics of most tools
 * @example
 * topicsFromTags([['maps', 'beta'], ['geo', 'beta']]); // [['maps'], ['geo']]
 */
export function topicsFromTags(tools: readonly (readonly string[])[]): string[][] | undefined {
  const counts = countEach(tools.flat());
  const isTopic = (tag: string): boolean =>
    (counts.get(tag) ?? 0) <= MAX_SHARE * tools.length && !ABOUT_EFFECTS.test(tag);
  const topics = tools.map((tags) => [...new Set(tags.filter(isTopic).flatMap(toValue))]);
  const tagged = topics.filter((each) => each.length > 0).length;
  return new Set(topics.flat()).size >= 2 && tagged > tools.length / 2 ? topics : undefined;
}

/** Turns a text into a value of a concern. Returns an empty list for a text that cannot become a valid name. */
export function toValue(text: string): string[] {
  const value = text
    // Tags such as finance/stocks are in one another, and a value writes this with dots.
    .replace(/\s*[/:]+\s*|\.{2,}/g, '.')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[-_.]+$/g, '')
    .slice(0, 64);
  return value === '' || value === RESERVED.value ? [] : [value];
}
