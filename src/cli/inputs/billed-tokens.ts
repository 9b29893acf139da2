import { isForPages } from '../../core/engine/companions.js';
import type { TokenCounter } from './token-counter.js';

/**
 * @param tokensOf counts the tokens of a definition
 * @returns a function that counts the tokens that a model is billed for. Hosts do not give a tool to the model that only the
 *   page of an app can call, so nobody pays for its tokens
 * @example
 * billedBy(tokensOf)({ name: 'refresh', _meta: { ui: { visibility: ['app'] } } }); // 0
 */
export function billedBy(tokensOf: TokenCounter): TokenCounter {
  return (definition) => (isForPages(definition) ? 0 : tokensOf(definition));
}
