import type { Configuration } from '../../engine/configuration.js';
import type { Era } from '../../wire/messages.js';

/**
 * Returns whether a list can differ from the server's own under this configuration. If not, nothing can be hidden, and the
 * server's answer is passed on byte for byte.
 */
export function canChange({ policy, active }: Configuration): boolean {
  const { rules, settings } = policy;
  return active || rules.length > 0 || settings.unmapped === 'hide' || settings.transparency;
}

/**
 * Forbids caching of a modern list. Modern clients cache lists under the method alone, for `ttlMs`: with other
 * preferences they would get the list of the earlier ones.
 *
 * @returns the result with `ttlMs: 0` and `cacheScope: "private"`; the same object in the legacy era
 */
export function unshared(era: Era, result: Record<string, unknown>): Record<string, unknown> {
  if (era === 'legacy' || (result.ttlMs === 0 && result.cacheScope === 'private')) return result;
  return { ...result, ttlMs: 0, cacheScope: 'private' };
}
