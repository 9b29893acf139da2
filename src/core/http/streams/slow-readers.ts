import { errorClass } from '../../errors.js';

/** Something whose messages several responses carry, for example the connection to a server behind the endpoint. */
export interface Pausable {
  /** Stops reading, so that the server waits as soon as its pipe or connection is full, or goes on. */
  pause(isPaused: boolean): void;
}

/** A server in this process, which nothing slows down. */
export const UNPACED: Pausable = { pause: () => undefined };

/** Bytes that wait for clients before the source pauses. */
const PAUSE_AT = 1024 * 1024;
/** Bytes of one response that may wait when its next read resumes the source. */
const RESUME_AT = PAUSE_AT / 4;
/** Bytes that may wait for clients of a source that cannot pause. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Milliseconds without a read after which a client must not hold up others. */
const STALLED_MS = 3000;
const CHECK_MS = 250;

/** A client did not read its response. */
class SlowClientError extends errorClass('SlowClientError', 'CLIENT_TOO_SLOW') {
  // The client causes it, not the code, and it is printed where endpoints print errors.
  override stack = `${this.name}: ${this.message}`;
}

const TOO_SLOW = `The response was closed, because its client read nothing for ${STALLED_MS / 1000} s while others waited. Read responses as they arrive.`;

interface Stream {
  /** Bytes that were written for the client. */
  written: number;
  /** Bytes of them that the client has not read. */
  waiting(): number;
  /** Bytes that the client had read at `readAt`. */
  read: number;
  /** When the client read for the last time, or had read everything, by `performance.now()`. */
  readAt: number;
  /** Whether a client waits for its answer. */
  readonly isAwaited: boolean;
  close(): void;
}

/**
 * Keeps what waits for slow clients of one source below a limit. A transport of the SDK queues messages without one.
 *
 * If more than 1 MiB waits for all clients together, the source pauses until they have read. As a source carries the
 * messages of all its clients, one client could hold up the others. If one of them waits for an answer meanwhile, the responses
 * end whose clients have read nothing for 3 s.
 *
 * @example
 * const readers = new SlowReaders(connection);
 * const outgoing = readers.open(true, () => undefined);
 * return outgoing.carry(await transport.handleRequest(request));
 */
export class SlowReaders {
  private readonly streams = new Set<Stream>();
  private isPaused = false;
  private checking: NodeJS.Timeout | undefined;

  /** @param source what pauses */
  constructor(readonly source: Pausable) {}

  /**
   * Begins the response to a request, before the request is handled.
   *
   * @param isAwaited whether the client waits for an answer; not if it only listens
   * @param ended called once: the response is complete, or its reader has left
   * @returns the response, which must be carried or abandoned
   */
  open(isAwaited: boolean, ended: (hasLeft: boolean) => void) {
    const finish = (hasLeft: boolean): void => {
      // Finished before.
      if (!this.streams.delete(stream)) return;
      this.lowered();
      ended(hasLeft);
    };
    const stream: Stream = {
      written: 0,
      waiting: () => 0,
      read: 0,
      readAt: 0,
      isAwaited,
      close: () => finish(true),
    };
    this.streams.add(stream);
    this.lowered();
    return {
      /** Ends it if there will be no response. */
      abandon: (): void => finish(false),
      /** Returns the response for the client, and reads the given one as fast as it is written. */
      carry: (response: Response): Response => {
        if (response.body === null) {
          finish(false);
          return response;
        }
        const body = this.drain(response.body.getReader(), stream, finish);
        return new Response(body, { status: response.status, headers: response.headers });
      },
    };
  }

  private drain(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    stream: Stream,
    finish: (hasLeft: boolean) => void,
  ): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream.waiting = () => RESUME_AT - (controller.desiredSize ?? RESUME_AT);
          stream.close = () => {
            const cause = new SlowClientError(TOO_SLOW);
            controller.error(cause);
            finish(true);
            reader.cancel(cause).catch(() => undefined);
          };
          const drain = async (): Promise<void> => {
            for (;;) {
              const { done, value } = await reader.read();
              if (!this.streams.has(stream)) return;
              if (done) break;
              notice(stream);
              stream.written += value.length;
              controller.enqueue(value);
              // What a client waits for is read at once.
              if (stream.waiting() > 0) this.balance();
            }
            controller.close();
            finish(false);
          };
          drain().catch((cause) => {
            if (this.streams.has(stream)) controller.error(cause);
            finish(false);
          });
        },
        pull: () => this.lowered(),
        cancel: async (reason) => {
          finish(true);
          await reader.cancel(reason);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: RESUME_AT }),
    );
  }

  /** Less may wait than before. Asks each stream only if that can resume the source: every response calls this three times. */
  private lowered(): void {
    if (this.isPaused) this.balance();
  }

  /** Pauses or resumes the source. */
  private balance(): void {
    const isPaused = this.total() > PAUSE_AT;
    if (isPaused === this.isPaused) return;
    this.isPaused = isPaused;
    clearInterval(this.checking);
    if (!isPaused) return this.source.pause(false);
    for (const stream of this.streams) notice(stream);
    this.source.pause(true);
    this.checking = setInterval(() => this.closeStalled(), CHECK_MS);
    // In Workers, a timer is a number.
    this.checking.unref?.();
  }

  private total(): number {
    let total = 0;
    for (const stream of this.streams) total += stream.waiting();
    return total;
  }

  private closeStalled(): void {
    const streams = [...this.streams];
    for (const each of streams) notice(each);
    const holdsUp = streams.some((each) => each.isAwaited && each.waiting() === 0);
    if (!holdsUp && this.total() <= MAX_WAITING) return;
    const before = performance.now() - STALLED_MS;
    for (const each of streams) if (each.readAt < before) each.close();
  }
}

/** Notices whether the client of a response reads. */
function notice(stream: Stream): void {
  const read = stream.written - stream.waiting();
  if (stream.waiting() > 0 && read === stream.read) return;
  stream.read = read;
  stream.readAt = performance.now();
}
