import type { Primitive } from '../../../src/core/engine/mapping.js';
import type { Kind, Policy } from '../../../src/core/engine/policy.js';
import { bindCatalog } from '../../../src/core/engine/select.js';
import { serversIn } from '../../../src/core/engine/servers/outside-names.js';
import type { Lists } from '../../../src/core/gate/enforce/visibility.js';

/** The lists of a server, by what it lists of each kind. */
export function boundLists(policy: Policy, given: { readonly [K in Kind]?: readonly Primitive[] }): Lists {
  const lists = Object.entries(given).map(([kind, items]) => [
    kind,
    bindCatalog(policy, kind as Kind, items),
  ]);
  return { ...Object.fromEntries(lists), servers: serversIn(Object.values(given).flat()) };
}
