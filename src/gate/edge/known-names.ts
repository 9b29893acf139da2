import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';

/** Of a server with more names than this, not all are known: the memory is bounded. */
const MAX_NAMES = 20_000;
const MAX_LENGTH = 256;

/**
 * The names that reports may contain. Names of a server's catalog are not secret, but a client can send anything as a name,
 * for example a password. A name is known if the policy or a list of the server has it, or if the server answered a
 * request with it. The URI of a resource is known only in the first two cases, because a URI can contain arguments.
 *
 * Connections that share this object share what they learned.
 */
export class KnownNames {
  private readonly names = new Set<string>();
  private readonly lists = new WeakSet<object>();

  /** Remembers the names of a list of the server. */
  learn(kind: Kind, items: readonly Primitive[]): void {
    if (this.lists.has(items)) return;
    this.lists.add(items);
    for (const item of items) this.add(identityOf(kind, item));
  }

  add(name: string): void {
    if (this.names.size < MAX_NAMES && name.length <= MAX_LENGTH) this.names.add(name);
  }

  has(name: string): boolean {
    return this.names.has(name);
  }
}
