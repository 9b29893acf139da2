import { ACTION_PARAMETERS } from './generated/word-lists.js';

/**
 * Returns whether the values of a parameter with this name are what the tool can do.
 *
 * @example
 * isActionParameter('operation_type'); // true
 */
export const isActionParameter = (name: string): boolean =>
  ACTION_PARAMETERS.has(
    name
      .toLowerCase()
      .replace(/[^a-z]/g, '')
      .replace(/(?<=.)type$/, ''),
  );
