import type { PanelEvent, Switchboard } from './hub.js';

/** Proxies and browsers close connections that are silent for long. In milliseconds. */
const HEARTBEAT = 15_000;
/** A comment, which readers skip. */
const SILENCE = ': \n\n';

/**
 * Sends the document of each session, then each change, as server-sent events. A reader that is too slow gets only the
 * newest document of each session, so the memory that it costs does not grow.
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
  const waiting = new Map<string, PanelEvent>();
  let wake = (): void => undefined;
  const take = (event: PanelEvent): void => {
    const session = 'gone' in event ? event.gone : event.session;
    // Deleted first, so that the newest event is the last one.
    waiting.delete(session);
    waiting.set(session, event);
    wake();
  };
  const unsubscribe = board.subscribe(take);
  const heartbeat = setInterval(() => wake(), HEARTBEAT).unref();
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    yield SILENCE;
    for (const state of await board.states()) if (!waiting.has(state.session)) take(state);
    while (!signal.aborted) {
      if (waiting.size === 0) yield SILENCE;
      for (const [session, event] of waiting) {
        waiting.delete(session);
        yield `data: ${JSON.stringify(event)}\n\n`;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unsubscribe();
    clearInterval(heartbeat);
  }
}
