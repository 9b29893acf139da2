import type { SharedCatalog } from '../core/gate/request/catalog-cache.js';
import type { Era, Members } from '../core/wire/messages.js';
import type { Params } from './call.js';
import type { Watched } from './eras/watched.js';
import type { UpstreamOptions } from './options.js';
import type { Recovery, RecoveryOwner } from './recovery.js';

/** Who a connection is for, where it is not the client's own. */
export interface Caller {
  /** The verified identity; never what a client says of itself. */
  readonly principal: string | undefined;
  /** The session of a legacy client, of which this process knows only the id. */
  readonly session?: string | undefined;
  /** What the client can be asked. A legacy server learns it once, when the connection begins. */
  readonly asks: Members;
}

/** A connection to the server, for one client or for several. */
export interface Link {
  readonly era: Era;
  readonly recovery: Recovery;
  readonly watched: Watched;
  /** What the server lists. */
  readonly lists: SharedCatalog;
  /** Must be called when the client has gone. */
  release(): Promise<void>;
}

/** The only client of a connection. */
export interface LinkOwner extends Omit<RecoveryOwner, 'opened'>, Pick<UpstreamOptions, 'report'> {
  /** Whether it has sent `notifications/initialized`. */
  isAnnounced(): boolean;
}

/** Is told of changed lists, resources and tasks of the server, and on which connection. */
export type ChangeListener = (method: string, params: Params, from: Recovery | undefined) => void;
