import type { Primitive } from '../../../src/engine/mapping.js';
import type { Kind, Policy } from '../../../src/engine/policy.js';
import { bindCatalog } from '../../../src/engine/select.js';
import { serversIn } from '../../../src/engine/servers/outside-names.js';
import type { Lists } from '../../../src/gate/enforce/visibility.js';

/** The lists of a server, by what it lists of each kind. */
export function boundLists(policy: Policy, given: { readonly [K in Kind]?: readonly Primitive[] }): Lists {
  const lists = Object.entries(given).map(([kind, items]) => [
    kind,
    bindCatalog(policy, kind as Kind, items),
  ]);
  return { ...Object.fromEntries(lists), servers: serversIn(Object.values(given).flat()) };
}
