import { KINDS, type Kind } from '../../engine/policy.js';
import { count } from './output.js';

/** What each kind is called. */
export const WORDS: { readonly [K in Kind]: readonly [one: string, many: string] } = {
  tools: ['tool', 'tools'],
  prompts: ['prompt', 'prompts'],
  resources: ['resource', 'resources'],
  resourceTemplates: ['resource template', 'resource templates'],
};

/** @returns a number of things: `1 error`, `2 errors` */
export const many = (number: number, one: string, several = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : several}`;

/**
 * @param surface what a server lists
 * @returns how much of each kind there is: `13 tools, 4 prompts`
 * @example
 * contents({ tools, prompts: [] }); // '13 tools'
 */
export function contents(surface: { readonly [K in Kind]?: readonly unknown[] | undefined }): string {
  const counted = KINDS.flatMap((kind) => {
    const { length = 0 } = surface[kind] ?? [];
    return length === 0 ? [] : [many(length, ...WORDS[kind])];
  });
  return counted.length === 0 ? 'nothing' : counted.join(', ');
}
