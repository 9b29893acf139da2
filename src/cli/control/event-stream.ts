import { EventEmitter, once } from 'node:events';
import type { Switchboard } from './hub.js';

/** Proxies and browsers close connections that are silent for long. In milliseconds. */
const HEARTBEAT = 15_000;
/** A comment, which readers skip. */
const SILENCE = ': \n\n';

/**
 * Sends the document of each session, then each change, as server-sent events. A document is computed when it is sent: several
 * changes at once are one, and a reader that is too slow costs no memory.
 *
 * @param board the sessions
 * @param signal aborted when the reader disconnects
 * @returns the response
 * @example
 * eventStream(board, request.signal);
 */
export function eventStream(board: Switchboard, signal: AbortSignal): Response {
  const body = ReadableStream.from(eventsOf(board, signal)).pipeThrough(new TextEncoderStream());
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}

async function* eventsOf(board: Switchboard, signal: AbortSignal): AsyncGenerator<string, void> {
  /** The sessions whose documents the reader does not have. */
  const changed = new Set<string>();
  const events = new EventEmitter();
  const wake = (): boolean => events.emit('wake');
  const unsubscribe = board.subscribe((session) => {
    changed.add(session);
    wake();
  });
  const heartbeat = setInterval(wake, HEARTBEAT).unref();
  signal.addEventListener('abort', wake, { once: true });
  try {
    yield SILENCE;
    while (!signal.aborted) {
      if (changed.size === 0) yield SILENCE;
      for (const session of changed) {
        changed.delete(session);
        const event = await eventOf(board, session);
        if (event !== undefined) yield `data: ${JSON.stringify(event)}\n\n`;
      }
      await once(events, 'wake');
    }
  } finally {
    unsubscribe();
    clearInterval(heartbeat);
  }
}

/** @returns the document of a session, or that it has ended; `undefined` if its server cannot be listed now */
const eventOf = (board: Switchboard, gone: string): Promise<object | undefined> =>
  board.state(gone).then(
    (state) => state ?? { gone },
    () => undefined,
  );
