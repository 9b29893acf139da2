import { identityOf, type Primitive, tagsOf } from '../../../engine/mapping.js';
import { annotationsOf } from '../../../engine/present.js';
import { RESERVED } from '../../language/schema.js';
import { countEach, type WordsByName } from '../words/words.js';

/** @returns the tags and the category (`annotations.category`) that a server gives a tool, none twice */
function topicTagsOf(primitive: Primitive): string[] {
  const found = [tagsOf(primitive), annotationsOf(primitive).category].flat();
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
 * @param tools the tools as the server lists them
 * @returns the topics of each tool; `undefined` if tags do not tell the topics of most tools
 * @example
 * topicsFromTags([{ name: 'route', tags: ['maps'] }, { name: 'place', tags: ['geo'] }]); // Map { 'route' => ['maps'], ... }
 */
export function topicsFromTags(tools: readonly Primitive[]): WordsByName | undefined {
  const tagged = tools.map((tool) => [identityOf('tools', tool), topicTagsOf(tool)] as const);
  const counts = countEach(tagged.flatMap(([, tags]) => tags));
  const isTopic = (tag: string): boolean =>
    (counts.get(tag) ?? 0) <= MAX_SHARE * tools.length && !ABOUT_EFFECTS.test(tag);
  const topicsOf = (tags: readonly string[]) => [...new Set(tags.filter(isTopic).flatMap(toValue))];
  const topics = new Map(tagged.map(([name, tags]) => [name, topicsOf(tags)]));
  const found = [...topics.values()].filter((each) => each.length > 0);
  return new Set(found.flat()).size >= 2 && found.length > tools.length / 2 ? topics : undefined;
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
