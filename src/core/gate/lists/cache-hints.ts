import { readsClient } from '../../engine/expression/expression.js';
import { CLIENT_CAPABILITIES_META, CONCERNS_HEADER, EXTENSION_ID, read } from '../../wire/messages.js';
import { unshared } from '../request/configure.js';
import type { RequestFacts } from '../request/facts.js';
import { isReplaceable } from '../request/live-policy.js';
import { readNameFilters } from '../request/name-filters.js';
import { panelMode } from '../table/routes.js';
import { listsTaskOnlyTools } from './tools-for-client.js';

/** How long a host without a stream may not learn of a new policy, in milliseconds. */
const LONGEST_MS = 60_000;

/**
 * Passes the server's hints on how long a list may be cached (MCP 2026-07-28, Caching), if the host says what it prefers
 * only by the URL and its authorization. SDK clients cache lists under the method alone: with anything else in the
 * request, they could get the list of another one.
 *
 * @param facts the list request
 * @param result the list, with the hints of the server
 * @param listed the server's whole list, as far as it is known
 * @returns the same object in the legacy era, and if the hints stay
 */
export function withCacheHints(
  facts: RequestFacts,
  result: Record<string, unknown>,
  listed: readonly unknown[] = [],
): Record<string, unknown> {
  const { era, policy } = facts;
  const given = result.ttlMs;
  if (era === 'legacy' || typeof given !== 'number' || !(given > 0) || saysMore(facts)) {
    return unshared(era, result);
  }
  const ttlMs = isReplaceable(policy) ? Math.min(given, LONGEST_MS) : given;
  const cacheScope = result.cacheScope === 'public' && !differsByCaller(facts, listed) ? 'public' : 'private';
  return ttlMs === given && cacheScope === result.cacheScope ? result : { ...result, ttlMs, cacheScope };
}

/**
 * Says of a result that no cache may share it, if another caller or host could get another one: one that must not see what
 * it shows. Every answer passes here, whatever its method is,
 * except the page of the gate.
 *
 * @returns the same object if caches may share it, or the server forbids that itself
 */
export function apartByCaller(facts: RequestFacts, result: Record<string, unknown>): Record<string, unknown> {
  if (result.cacheScope !== 'public') return result;
  const isApart = differsByCaller(facts, []) || (facts.isEnforced && saysMore(facts));
  return isApart ? { ...result, cacheScope: 'private' } : result;
}

/** Whether the list of this host depends on more than its URL and its authorization. */
function saysMore(facts: RequestFacts): boolean {
  const { policy, request, sender } = facts;
  return (
    (policy.settings.lists !== 'stable' && prefersMore(facts)) ||
    read(request.params, 'filter') !== undefined ||
    readNameFilters(sender.http).some(({ from }) => !from.startsWith('?')) ||
    policy.callerPaths.some(readsClient)
  );
}

/** Whether this host can prefer something beside its URL, or can change what is kept for its caller. */
function prefersMore({ keeps, request: { params }, sender: { http } }: RequestFacts): boolean {
  return (
    keeps.caller ||
    read(params, '_meta', EXTENSION_ID) !== undefined ||
    read(params, '_meta', CLIENT_CAPABILITIES_META, 'extensions', EXTENSION_ID) !== undefined ||
    read(params, '_meta', CLIENT_CAPABILITIES_META, 'concerns') !== undefined ||
    http?.headers?.[CONCERNS_HEADER] !== undefined
  );
}

/** Whether callers or clients of the same URL can get different lists. */
function differsByCaller({ policy }: RequestFacts, listed: readonly unknown[]): boolean {
  return (
    policy.concerns.some(({ setBy }) => setBy === 'operator') ||
    policy.callerPaths.length > 0 ||
    panelMode(policy.settings) !== 'off' ||
    // They are left out for clients without the Tasks extension.
    listsTaskOnlyTools({ tools: listed })
  );
}
