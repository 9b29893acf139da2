/** In how many intervals the time is divided that a server may be silent, and after how many it is pinged. */
const INTERVALS = 6;
const PING_AT = 4;
/** How many times as long a server may be silent while a client waits for a tool: without and with use of the processor. */
const PATIENCE = { idle: 5, busy: 30 };
/**
 * Processor time within an interval that only a server at work uses. Of a short interval it is a twentieth, because other programs
 * may use the processor too, and at least two ticks of 10 ms of the clock that counts it: a server that hangs is charged a whole
 * tick if it runs at the moment of one.
 */
const BUSY = { ms: 50, share: 0.05, leastMs: 20 };

/** What is watched: a connection to a server. */
export interface WatchedConnection {
  /** Whether a client waits for an answer. */
  isAwaited(): boolean;
  /** Whether a client waits for a tool. */
  isCalled(): boolean;
  /** The processor time that the server has used, where that is known. */
  processorMs(): number | undefined;
  /** Asks for a sign of life. */
  ping(): void;
  /** Ends the connection. */
  end(reason: string): void;
}

/**
 * Watches whether a server is alive. It counts intervals, not time: a Lambda function that was frozen would otherwise take the
 * time that it was frozen for the silence of the server. It watches on between requests, because a timer for each costs 1 % of a
 * call, and because a server that was silent until its callers left is still silent.
 */
export class SilenceWatch {
  private timer: NodeJS.Timeout | undefined;
  /** For how many intervals the server has sent nothing that is waited for. */
  private silent = 0;
  /** The processor time that the server had used, and in which interval of its silence it last used some. */
  private processorMs = 0;
  private busyAt = 0;
  /** Whether the server sent anything since the latest request. */
  private isHeard = true;
  private isPaused = false;

  /**
   * @param silenceMs milliseconds that the server may be silent
   * @param connection the connection
   */
  constructor(
    private readonly silenceMs: number,
    private readonly connection: WatchedConnection,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => this.tick(), this.silenceMs / INTERVALS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The server sent something. */
  heard(): void {
    this.isHeard = true;
    this.silent = 0;
  }

  /** A request was sent. */
  asked(): void {
    this.isHeard = false;
  }

  /** Nothing is read from a paused server, so nothing is known about it. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  private tick(): void {
    const isFine = this.isPaused || (this.isHeard && !this.connection.isAwaited());
    this.silent = isFine ? 0 : this.silent + 1;
    if (isFine || this.silent <= 1) this.busyAt = 0;
    const patience = this.patience();
    if (this.silent === PING_AT) this.connection.ping();
    const seconds = Math.round((this.silent * this.silenceMs) / INTERVALS / 1000);
    if (this.silent > patience)
      this.connection.end(`it sent nothing for ${seconds} s, and did not answer a ping`);
  }

  /**
   * How many intervals of silence are too many. Many servers answer nothing while a tool runs, and it is not known how long it
   * takes: while a client waits for one, the server has more time, and much more while it uses the processor.
   */
  private patience(): number {
    if (!this.connection.isCalled()) return INTERVALS;
    const used = this.connection.processorMs();
    const busyMs = Math.max(BUSY.leastMs, Math.min(BUSY.ms, (BUSY.share * this.silenceMs) / INTERVALS));
    const isBusy = used !== undefined && used - this.processorMs >= busyMs;
    this.processorMs = used ?? 0;
    if (isBusy) this.busyAt = this.silent;
    return this.silent - this.busyAt > PATIENCE.idle * INTERVALS ? 0 : PATIENCE.busy * INTERVALS;
  }
}
