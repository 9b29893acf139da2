import { KINDS, type Kind } from '../../engine/policy.js';
import { count } from './output.js';

/** The name of each kind, in the singular and the plural. */
export const KIND_NAMES: { readonly [K in Kind]: readonly [singular: string, plural: string] } = {
  tools: ['tool', 'tools'],
  prompts: ['prompt', 'prompts'],
  resources: ['resource', 'resources'],
  resourceTemplates: ['resource template', 'resource templates'],
};

/** @returns a number with its noun: `1 error`, `2 errors` */
export const quantity = (number: number, singular: string, plural = `${singular}s`): string =>
  `${count(number)} ${number === 1 ? singular : plural}`;

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
