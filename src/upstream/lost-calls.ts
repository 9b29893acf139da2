import type { RequestId } from '../wire/messages.js';
import type { WatchedRequests } from './open-requests.js';

/** How long a call runs on whose host has lost its stream and does not come back. */
const GONE_MS = 5 * 60_000;

/**
 * Calls whose stream ended before the answer. In 2025-11-25 this is not a cancellation ("Sending Messages to the Server"): the
 * host may continue the stream with `Last-Event-ID`. If it does not, it has gone, and must not keep a server busy that others use.
 *
 * @example
 * const lost = new LostCalls(watchRequests(transport));
 * lost.streamEnded([1]);
 */
export class LostCalls {
  private readonly ids = new Set<RequestId>();
  private continued = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly requests: Pick<WatchedRequests, 'isOpen' | 'cancel'>) {}

  /** The stream of these requests has ended; those without an answer are lost. */
  streamEnded(ids: Iterable<RequestId>): void {
    for (const id of ids) if (this.requests.isOpen(id)) this.ids.add(id);
    this.watch();
  }

  /** The host continues a stream. Returns what to call when that one has ended. */
  resumed(): () => void {
    this.continued++;
    this.watch();
    return () => {
      this.continued--;
      this.watch();
    };
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private watch(): void {
    clearTimeout(this.timer);
    if (this.ids.size === 0 || this.continued > 0) return;
    this.timer = setTimeout(() => {
      this.requests.cancel(this.ids, 'The client has left, and did not come back.');
      this.ids.clear();
    }, GONE_MS).unref();
  }
}
