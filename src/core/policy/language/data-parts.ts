import { readOwn } from '../../engine/expression/evaluate.js';
import type { Path } from './read-yaml.js';

/**
 * Reads the value at a path. It reads own properties only, so that no path reaches `Object.prototype`.
 *
 * @param data any data
 * @param path the path of a part of it
 * @returns the value, or undefined if the path does not exist
 * @example
 * follow({ tools: ['a'] }, ['tools', 0]); // 'a'
 */
export function follow(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => readOwn(at, String(step)), data);
}
