/** Who shares a server, and when sessions and servers end. */
export interface ServingLimits {
  readonly isolation: 'shared' | 'per-session' | 'per-request';
  /** Sessions that have a server. */
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly silenceMs: number;
}
