import { read } from '../../wire/messages.js';
import type { TokenCounter } from './token-counter.js';

/**
 * @param definition a tool as the server lists it
 * @returns whether only the view of an app can call it (MCP Apps, `_meta.ui.visibility`). Hosts do not give such a tool to
 *   the model, so nobody pays for its tokens
 * @example
 * isAppOnly({ name: 'refresh', _meta: { ui: { visibility: ['app'] } } }); // true
 */
export function isAppOnly(definition: object): boolean {
  const visibility = read(read(definition, '_meta'), 'ui', 'visibility');
  return Array.isArray(visibility) && visibility.includes('app') && !visibility.includes('model');
}

/**
 * @param tokensOf counts the tokens of a definition
 * @returns a function that counts the tokens that a model is billed for: none for a tool that only apps can call
 * @example
 * billedBy(tokensOf)({ name: 'refresh', _meta: { ui: { visibility: ['app'] } } }); // 0
 */
export function billedBy(tokensOf: TokenCounter): TokenCounter {
  return (definition) => (isAppOnly(definition) ? 0 : tokensOf(definition));
}
