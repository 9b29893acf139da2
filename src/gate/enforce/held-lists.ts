import type { Policy } from '../../engine/policy.js';
import type { CatalogCache } from '../request/catalog-cache.js';
import type { Lists } from '../request/steps.js';

/** Returns the lists that are held, without asking the server. */
export function heldLists({ catalog }: { readonly catalog: CatalogCache }, policy: Policy): Lists {
  return Object.fromEntries([...catalog.cached(policy)].map(([kind, { bound }]) => [kind, bound]));
}
