import { messagesIn } from '../http/streams/messages-in.js';
import { type RequestId, read } from '../wire/messages.js';
import type { RequestIds } from './substitute-responses.js';

/**
 * Watches an event stream for answers, so that only requests without an answer get an error at the end. The SDK writes
 * one event per chunk, and ends the stream with the last answer. So only the stream of a batch has to be read.
 *
 * @param requests returns the ids of the requests that the stream answers
 * @param response the response whose body is the stream; nothing is tracked if its type is not `text/event-stream`,
 *   because an error event does not fit into other bodies
 * @returns `see`, to call with each chunk that is sent; `missing` returns the ids of the requests whose answers were not sent
 */
export function trackAnswers(requests: () => RequestIds, response: Response): ReturnType<typeof fixed> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return fixed([]);
  const ids = requests();
  if (ids === undefined) return fixed([]);
  if (typeof ids === 'string' || typeof ids === 'number') return fixed([ids]);
  const pending = new Set<unknown>(ids);
  return {
    see(chunk) {
      for (const message of messagesIn(Buffer.from(chunk).toString())) {
        if (read(message, 'method') === undefined) pending.delete(read(message, 'id'));
      }
    },
    missing: () => ids.filter((id) => pending.has(id)),
  };
}

const fixed = (ids: readonly RequestId[]) => ({ see: (_chunk: Uint8Array): void => {}, missing: () => ids });
