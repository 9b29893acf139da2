/** What happened to a server behind the endpoint: a change of its state, or a line that it wrote to stderr. */
export interface UpstreamEvent {
  /** The name of the upstream: a package, a command, the host of a URL. */
  readonly upstream: string;
  readonly state?: 'connecting' | 'ready' | 'failed' | 'restarting';
  /** Why the state changed. */
  readonly reason?: string;
  /** Whether its connection ended by itself: nothing is answered until it is open again. */
  readonly isLost?: boolean;
  /** How often the upstream was started again. */
  readonly restarts?: number;
  /** One line that a child process wrote to stderr. */
  readonly stderr?: string;
  /** What of the server is left out, and why, as a sentence: it would disturb the other servers of the endpoint. */
  readonly leftOut?: string;
}
