import { messagesIn } from '../http/streams/messages-in.js';
import { type RequestId, read } from '../wire/messages.js';
import type { RequestIds } from './substitute-responses.js';

/** Tracks which requests of an event stream have no answer yet. */
export interface AnswerTracker {
  /** Call with each chunk that is sent. */
  see(chunk: Uint8Array): void;
  /** @returns the ids of the requests whose answers were not sent */
  missing(): readonly RequestId[];
}

/**
 * Watches an event stream for answers, so that only requests without an answer get an error at the end. The SDK writes
 * one event per chunk, and ends the stream with the last answer. So only the stream of a batch has to be read.
 *
 * @param requests returns the ids of the requests that the stream answers
 * @param response the response whose body is the stream; nothing is tracked if its type is not `text/event-stream`,
 *   because an error event does not fit into other bodies
 * @returns the tracker
 */
export function trackAnswers(requests: () => RequestIds, response: Response): AnswerTracker {
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

const fixed = (ids: readonly RequestId[]): AnswerTracker => ({ see: () => undefined, missing: () => ids });
