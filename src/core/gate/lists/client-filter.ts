import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';
import { compilePattern } from './wildcard-pattern.js';

/**
 * The fields of `params.filter` that each list understands (SEP-2564), as servers declare them in
 * `capabilities.<namespace>.filtering.supported`.
 */
export const FILTER_FIELDS: Readonly<Record<Kind, readonly FilterField[]>> = {
  tools: ['namePatterns'],
  prompts: ['namePatterns'],
  resources: ['namePatterns', 'uriPatterns'],
  resourceTemplates: ['namePatterns', 'uriPatterns'],
};

export type FilterField = 'namePatterns' | 'uriPatterns';

/** A client's own filter of a list. Patterns are unique and sorted, and every field has at least one. */
type ListFilter = { readonly [F in FilterField]?: readonly string[] };

/** `message` is for the `-32602` error. `key` is equal for equal filters, and `''` without a filter. */
export type ReadListFilter =
  | {
      readonly ok: true;
      readonly filter: ListFilter | undefined;
      /** Fields that only the server understands, which declares them beside those of SEP-2564. */
      readonly vendor: Readonly<Record<string, unknown>> | undefined;
      readonly key: string;
    }
  | { readonly ok: false; readonly message: string };

/** The limits of one field (SEP-2564). Characters are Unicode code points. */
const FILTER_LIMITS = { patterns: 100, characters: 256 } as const;

const NO_FILTER: ReadListFilter = { ok: true, filter: undefined, vendor: undefined, key: '' };

/** What the patterns of each field are matched with: names only. A text that redaction changes would give away what it hides. */
const MATCHED: { readonly [F in FilterField]: (kind: Kind, item: Primitive) => string } = {
  namePatterns: (_kind, { name }) => (typeof name === 'string' ? name : ''),
  uriPatterns: identityOf,
};

/**
 * Reads the client's own filter from the params of a list request (SEP-2564, "filter").
 *
 * An empty array means the same as a missing field. The field of another list is ignored, such as
 * `uriPatterns` of a tool list. All other fields are for the server. Any other value, also `null`, is an error. SEP-2564 specifies a message for an invalid
 * pattern only; an invalid filter or field gets the same message, with `filter` as the field. An empty pattern is an
 * error, because no primitive has an empty name: the client meant `*`, or no pattern.
 *
 * @param params the params of the request, unchecked
 * @param kind the kind of primitives to list
 * @returns the filter, `undefined` if there is none, and its key; or the message of the `-32602` error
 * @example
 * readListFilter({ filter: { namePatterns: ['log*'] } }, 'tools');
 * // { ok: true, filter: { namePatterns: ['log*'] }, vendor: undefined, key: '{"namePatterns":["log*"]}' }
 */
export function readListFilter(params: unknown, kind: Kind): ReadListFilter {
  const sent = read(params, 'filter');
  if (sent === undefined) return NO_FILTER;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return invalid('filter', sent, 'filter must be an object, such as {"namePatterns": ["log*"]}');
  }
  const filter: { [F in FilterField]?: readonly string[] } = {};
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
    // Patterns of a field are alternatives, so filters that differ in order or repetition get the same key.
    filter[field] = [...checked].sort();
  }
  const isGiven = Object.keys(filter).length > 0;
  const others = Object.entries(sent).filter(([field]) => !Object.hasOwn(MATCHED, field));
  if (!isGiven && others.length === 0) return NO_FILTER;
  const sorted = others.sort(([one], [other]) => (one < other ? -1 : 1));
  const vendor = others.length === 0 ? undefined : Object.fromEntries(sorted);
  try {
    const key = JSON.stringify(vendor === undefined ? filter : [filter, vendor]);
    return { ok: true, filter: isGiven ? filter : undefined, vendor, key };
  } catch {
    return invalid('filter', sent, 'it nests too deeply');
  }
}

/**
 * Keeps the primitives that match a client's own filter (SEP-2564): at least one pattern of each given field.
 *
 * `namePatterns` match `name`. `uriPatterns` match the `uri` of resources and the `uriTemplate` of templates. A missing
 * name or URI is matched as an empty string, so `*` keeps everything.
 *
 * @param kind the kind of the primitives
 * @param items the list
 * @param filter the filter, from `readListFilter` for the same kind; `undefined` keeps everything
 * @returns the matching primitives, in the order of the list
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
      const text = [...MATCHED[field](kind, item)];
      return matchers.some((matches) => matches(text));
    }),
  );
}

function defectOf(pattern: string): string | undefined {
  if (pattern === '') return 'a pattern must not be empty; "*" matches everything';
  let characters = 0;
  for (const _character of pattern) characters++;
  if (characters <= FILTER_LIMITS.characters) return undefined;
  return `a pattern must have at most ${FILTER_LIMITS.characters} characters, this one has ${characters}`;
}

function invalid(field: FilterField | 'filter', pattern: unknown, detail: string): ReadListFilter {
  return { ok: false, message: `Invalid pattern in ${field}: '${shown(pattern)}' — ${detail}` };
}

const SHOWN_CHARACTERS = 64;

/**
 * Returns a short text for a value that was sent as a pattern. Arrays and objects are not written out: that overflows
 * the stack if they are nested deeply enough.
 */
function shown(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  if (typeof value === 'object' && value !== null) return '{…}';
  // A character has at most two units, so this slice contains enough whole characters.
  const start = Array.from(String(value).slice(0, 2 * SHOWN_CHARACTERS + 2));
  return start.length <= SHOWN_CHARACTERS ? start.join('') : `${start.slice(0, SHOWN_CHARACTERS).join('')}…`;
}
