import type { AskServer } from '../messages/pending-requests.js';
import type { Request } from '../messages/wire.js';
import type { MessageContext, RequestScope } from '../request/request.js';
import type { CatalogCache } from './catalog-cache.js';

/** What the parts of a gate share: one connection of one client to one server. */
export interface GateScope<C extends MessageContext> extends RequestScope {
  /** What the server lists. */
  readonly catalog: CatalogCache;
  /** Returns a function that sends the server requests made by the gate, on behalf of a request of the client. */
  ask(request: Request, context: C): AskServer;
}
