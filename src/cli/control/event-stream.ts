import type { PanelEvent, Switchboard } from './switchboard.js';

/** Proxies and browsers close connections that are silent for long. In milliseconds. */
const HEARTBEAT = 15_000;

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
  const waiting = new Map<string, PanelEvent>();
  let stop = (): void => undefined;
  let pull = (): void => undefined;
  const body = new ReadableStream<string>({
    async start(controller) {
      const flush = (): void => {
        for (const [session, event] of waiting) {
          if ((controller.desiredSize ?? 0) <= 0) return;
          waiting.delete(session);
          controller.enqueue(`data: ${JSON.stringify(event)}\n\n`);
        }
      };
      const take = (event: PanelEvent): void => {
        const session = 'gone' in event ? event.gone : event.session;
        // Deleted first, so that the newest event is the last one.
        waiting.delete(session);
        waiting.set(session, event);
        flush();
      };
      pull = flush;
      const unsubscribe = board.subscribe(take);
      const heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(': \n\n');
      }, HEARTBEAT);
      heartbeat.unref();
      stop = () => {
        unsubscribe();
        clearInterval(heartbeat);
      };
      signal.addEventListener('abort', stop, { once: true });
      controller.enqueue(': \n\n');
      for (const state of await board.states()) if (!waiting.has(state.session)) take(state);
    },
    pull: () => pull(),
    cancel: () => stop(),
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
