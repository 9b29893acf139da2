import { membersOf, readOwn } from '../expression/evaluate.js';
import { LEFT_OUT_META, type NamedKind } from './outside-names.js';

/** What is left out of a list of one of several servers: an entry, or the pages that did not arrive. */
export interface LeftOut {
  /** What the server calls the entry, shortened; `undefined` for pages, and for an entry without a name. */
  readonly name?: string;
  /** Where it does not fit the protocol: a JSON pointer, which is empty for the whole entry. `undefined` for pages. */
  readonly at?: string;
  /** How many entries came before the pages that are missing, and why there are no more. */
  readonly after?: number;
  readonly why?: string;
}

const NAMES: Readonly<Record<NamedKind, readonly [one: string, many: string]>> = {
  tools: ['tool', 'tools'],
  prompts: ['prompt', 'prompts'],
  resources: ['resource', 'resources'],
  resourceTemplates: ['resource template', 'resource templates'],
  tasks: ['task', 'tasks'],
};
const SHOWN = 3;

/**
 * Returns what `_meta` of a list says is left out, by server.
 *
 * @param meta the `_meta` of a list that was joined from those of several servers
 */
export function leftOutIn(meta: unknown): readonly (readonly [slug: string, found: readonly LeftOut[]])[] {
  return Object.entries(membersOf(readOwn(meta, LEFT_OUT_META))).map(([slug, found]) => [
    slug,
    Array.isArray(found) ? found : [],
  ]);
}

/**
 * Says what is left out of a list, and why.
 *
 * @param kind the kind of the list
 * @param found what is left out, the first ones
 * @param count how many there are
 * @returns a clause without the server
 * @example
 * leftOutClause('tools', [{ name: 'x', where: '/annotations/readOnlyHint' }]);
 * // 'the tool "x" is left out, because /annotations/readOnlyHint does not fit the protocol'
 */
export function leftOutClause(
  kind: NamedKind,
  found: readonly LeftOut[],
  count: number = found.length,
): string {
  const [one, many] = NAMES[kind];
  const [first] = found;
  if (first === undefined) return `none of its ${many} is left out any more`;
  if (count > 1) {
    const shown = found
      .slice(0, SHOWN)
      .map((each) => (each.at === undefined ? pagesOf(each) : `${named(each)} (${placeOf(each)})`));
    const others = count > shown.length ? `, and ${count - shown.length} more` : '';
    return `${many} are left out: ${shown.join(', ')}${others}`;
  }
  if (first.at === undefined) return `${many} are left out: ${pagesOf(first)}`;
  return `the ${one} ${named(first)} is left out, because ${placeOf(first)} does not fit the protocol`;
}

/** Returns one of what is left out as a line: `x: /annotations/readOnlyHint`. */
export const leftOutLine = (each: LeftOut): string =>
  each.at === undefined
    ? `the pages after entry ${each.after}: ${each.why}`
    : `${each.name ?? 'without a name'}: ${placeOf(each)}`;

const placeOf = ({ at }: LeftOut): string => at || 'its type';

const pagesOf = ({ after, why }: LeftOut): string => `the pages after entry ${after} (${why})`;

const named = ({ name }: LeftOut): string => (name === undefined ? 'without a name' : JSON.stringify(name));
