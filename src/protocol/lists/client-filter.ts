import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { read } from '../messages/wire.js';

/**
 * The fields of `params.filter` that each list understands (SEP-2564), as servers declare them in
 * `capabilities.<namespace>.filtering.supported`.
 */
export const FILTER_FIELDS = {
  tools: ['namePatterns'],
  prompts: ['namePatterns'],
  resources: ['namePatterns', 'uriPatterns'],
  resourceTemplates: ['namePatterns', 'uriPatterns'],
} as const satisfies { readonly [K in Kind]: readonly FilterField[] };

export type FilterField = 'namePatterns' | 'uriPatterns';

/** What a client wants to see of a list: patterns without repetition and sorted, no field without a pattern. */
export type ListFilter = { readonly [F in FilterField]?: readonly string[] };

/** `message` is that of the `-32602` answer. `key` is equal for filters that keep the same, `''` for none. */
export type ReadListFilter =
  | { readonly ok: true; readonly filter: ListFilter | undefined; readonly key: string }
  | { readonly ok: false; readonly message: string };

/** SEP-2564: what a server accepts of one field. Characters are Unicode code points. */
export const FILTER_LIMITS = { patterns: 100, characters: 256 } as const;

const NO_FILTER: ReadListFilter = { ok: true, filter: undefined, key: '' };

/**
 * Reads the client's own filter from the params of a list request (SEP-2564, "filter").
 *
 * A missing field and an empty array mean the same, that the field is not given. Fields that the list does not have
 * are ignored, whatever they hold: `uriPatterns` of a tool list too. Everything else that is no list of patterns is
 * an error, `null` too. The proposal words one error for a bad pattern and none for a bad filter or field, so these
 * take the same words: the field is then `filter`, the pattern what was sent in its place. An empty pattern is an
 * error because nothing has an empty name: whoever sends one meant `*`, or no pattern.
 *
 * @param params the params of the request, unchecked
 * @param kind the list that is asked for
 * @returns the filter, nothing where none is given, and its key; or what is wrong, for a `-32602` answer
 * @example
 * readListFilter({ filter: { namePatterns: ['log*'] } }, 'tools');
 * // { ok: true, filter: { namePatterns: ['log*'] }, key: '{"namePatterns":["log*"]}' }
 */
export function readListFilter(params: unknown, kind: Kind): ReadListFilter {
  const sent = read(params, 'filter');
  if (sent === undefined) return NO_FILTER;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return invalid('filter', sent, 'filter must be an object, such as {"namePatterns": ["log*"]}');
  }
  const filter: { [F in FilterField]?: readonly string[] } = {};
  let given = false;
  for (const field of FILTER_FIELDS[kind]) {
    const patterns = read(sent, field);
    if (patterns === undefined) continue;
    if (!Array.isArray(patterns)) {
      return invalid(field, patterns, `${field} must be an array of patterns, such as ["log*"]`);
    }
    if (patterns.length > FILTER_LIMITS.patterns) {
      const message = `Too many patterns: ${patterns.length} exceeds maximum of ${FILTER_LIMITS.patterns}`;
      return { ok: false, message };
    }
    const checked = new Set<string>();
    for (const pattern of patterns as readonly unknown[]) {
      if (typeof pattern !== 'string') return invalid(field, pattern, 'a pattern must be a string');
      const wrong = defectOf(pattern);
      if (wrong !== undefined) return invalid(field, pattern, wrong);
      checked.add(pattern);
    }
    if (checked.size === 0) continue;
    // Patterns of a field are alternatives: neither their order nor a repetition changes what they keep.
    filter[field] = [...checked].sort();
    given = true;
  }
  return given ? { ok: true, filter, key: JSON.stringify(filter) } : NO_FILTER;
}

/**
 * Keeps what a client's filter matches (SEP-2564): of each given field, at least one pattern.
 *
 * `namePatterns` match `name`, `uriPatterns` the `uri` of resources and the `uriTemplate` of templates. What a server
 * lists without such a text is matched as the empty text, so that `*` keeps everything.
 *
 * @param kind what the list holds
 * @param items the list
 * @param filter the filter, from `readListFilter` for the same kind; nothing keeps everything
 * @returns what stays, in the order of the list
 * @example
 * applyListFilter('tools', [{ name: 'logData' }, { name: 'hashData' }], { namePatterns: ['log*'] });
 * // [{ name: 'logData' }]
 */
export function applyListFilter<T extends Primitive>(
  kind: Kind,
  items: readonly T[],
  filter: ListFilter | undefined,
): readonly T[] {
  if (filter === undefined) return items;
  const fields = FILTER_FIELDS[kind].flatMap((field) => {
    const patterns = filter[field] ?? [];
    return patterns.length === 0 ? [] : [{ field, matchers: patterns.map(compilePattern) }];
  });
  return items.filter((item) =>
    fields.every(({ field, matchers }) => {
      const text = field === 'namePatterns' ? nameOf(item) : identityOf(kind, item);
      return matchers.some((matches) => matches(text));
    }),
  );
}

const STAR = 42; // *
const ANY = 63; // ?

/**
 * Compiles a pattern of SEP-2564: `*` stands for any run of characters, the empty one too, `?` for exactly one, and
 * everything else for itself. There is no escape.
 *
 * A character is a Unicode code point, so `?` matches an emoji whole, as in languages whose strings are not UTF-16;
 * half of a surrogate pair on its own is a character too. Only the latest `*` is ever tried again, which bounds the
 * time by pattern length times text length; trying all of them again, as a RegExp does, takes exponential time.
 *
 * @param pattern the pattern
 * @returns a function that tells whether a whole text matches
 * @example
 * compilePattern('log?*')('logData'); // true
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const wanted = Array.from(pattern, (character) => character.codePointAt(0));
  const shortest = wanted.filter((character) => character !== STAR).length;

  return (text) => {
    if (text.length < shortest) return false;
    let at = 0;
    let next = 0;
    let afterStar = -1;
    let resume = 0;
    while (at < text.length) {
      const character = text.codePointAt(at) ?? 0;
      if (wanted[next] === STAR) {
        next++;
        if (next === wanted.length) return true;
        afterStar = next;
        resume = at;
      } else if (wanted[next] === character || wanted[next] === ANY) {
        next++;
        at += width(character);
      } else if (afterStar !== -1) {
        // The run that the star stands for takes one character more.
        resume += width(text.codePointAt(resume) ?? 0);
        at = resume;
        next = afterStar;
      } else {
        return false;
      }
    }
    while (wanted[next] === STAR) next++;
    return next === wanted.length;
  };
}

/** @returns how many UTF-16 code units a code point takes */
function width(character: number): 1 | 2 {
  return character > 0xffff ? 2 : 1;
}

function nameOf({ name }: Primitive): string {
  return typeof name === 'string' ? name : '';
}

function defectOf(pattern: string): string | undefined {
  if (pattern === '') return 'a pattern must not be empty; "*" matches everything';
  let characters = 0;
  for (const _character of pattern) characters++;
  if (characters <= FILTER_LIMITS.characters) return undefined;
  return `a pattern has at most ${FILTER_LIMITS.characters} characters, this one has ${characters}`;
}

function invalid(field: FilterField | 'filter', pattern: unknown, detail: string): ReadListFilter {
  return { ok: false, message: `Invalid pattern in ${field}: '${shown(pattern)}' — ${detail}` };
}

const SHOWN_CHARACTERS = 64;

/**
 * @returns what was sent in a pattern's place, for a message: neither a long text nor one that is written by walking
 *   through a value, which overflows the stack on arrays that are nested deeply enough
 */
function shown(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  if (typeof value === 'object' && value !== null) return '{…}';
  // Two units hold any character, so this much is enough to take whole characters from.
  const start = Array.from(String(value).slice(0, 2 * SHOWN_CHARACTERS + 2));
  return start.length <= SHOWN_CHARACTERS ? start.join('') : `${start.slice(0, SHOWN_CHARACTERS).join('')}…`;
}
