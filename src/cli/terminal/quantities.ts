import { KINDS, type Kind } from '../../core/engine/policy.js';
import { KIND_NAMES } from '../../core/policy/language/kind-names.js';
import { count } from './output.js';

/** @returns a number with its noun: `1 error`, `2 errors` */
export const quantity = (number: number, singular: string, plural = `${singular}s`): string =>
  `${count(number)} ${number === 1 ? singular : plural}`;

/**
 * @param part how many of them
 * @param verb its two forms, for one and for several
 * @returns `2 of 4 lines have`, `1 of 4 lines has`
 */
export const partOf = (part: number, all: number, noun: string, verb: readonly [string, string]): string =>
  `${count(part)} of ${quantity(all, noun)} ${verb[part === 1 ? 0 : 1]}`;

/** @returns a list with a word before its last item: `a, b and c` */
export const joined = (names: readonly string[], word = 'and'): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(` ${word} `);

/** @returns the name of the kind of primitives, in the singular and the plural; `primitive` if they are of several kinds */
export function commonNames(all: readonly { readonly kind: Kind }[]): readonly [string, string] {
  const [only, ...others] = new Set(all.map(({ kind }) => kind));
  return only === undefined || others.length > 0 ? ['primitive', 'primitives'] : KIND_NAMES[only];
}

/**
 * @param catalog the lists of a server
 * @returns the number of primitives of each kind: `13 tools, 4 prompts`
 * @example
 * catalogContents({ tools, prompts: [] }); // '13 tools'
 */
export function catalogContents(catalog: { readonly [K in Kind]?: readonly unknown[] | undefined }): string {
  const counted = KINDS.flatMap((kind) => {
    const { length = 0 } = catalog[kind] ?? [];
    return length === 0 ? [] : [quantity(length, ...KIND_NAMES[kind])];
  });
  return counted.length === 0 ? 'nothing' : counted.join(', ');
}
