import type { LivePolicy } from '../../core/gate/request/live-policy.js';
import type { Era } from '../../core/wire/messages.js';
import type { CatalogKeeper } from '../../proxy/early/start.js';
import type { Protocol } from '../../proxy/options.js';
import type { Control } from '../control/control.js';
import type { OpenedServer } from '../inputs/open-server.js';
import type { Operations } from './service/operations.js';
import type { UsedToolsLog } from './used-tools.js';

/** Who shares a server, and when sessions and servers end. */
export interface ServingLimits {
  readonly isolation: 'shared' | 'per-session' | 'per-request';
  /** Sessions that have a server. */
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly silenceMs: number;
  /** Which era is spoken to the server. */
  readonly protocol: Protocol;
}

/** What is served, under which policy, and how people switch it. */
export interface Serving {
  readonly opened: OpenedServer;
  readonly policy: LivePolicy;
  /** The switches of all sessions; undefined under `--panel off`. */
  readonly control: Control | undefined;
  /** Whether others than the person who runs it may use it. */
  readonly isForMany: boolean;
  /** Has what each server listed when it was up last, so that hosts need not wait for it. */
  readonly keeperOf?: ((era: Era, slug?: string) => CatalogKeeper) | undefined;
  /** Keeps which tools a host over stdio called; undefined under `--no-used`. */
  readonly used?: UsedToolsLog | undefined;
  /** What whoever runs it is told of requests, servers and the policy. */
  readonly operations: Operations;
  /** Who shares a server, and when sessions and servers end. */
  readonly limits: ServingLimits;
  /** Aborted when the process gets a signal. */
  readonly signal: AbortSignal;
}

/** The command that opens the page with the switches. */
export const OPEN_PAGE = 'mcp-concerns switch --open';
