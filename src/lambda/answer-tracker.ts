import { type RequestId, read } from '../protocol/messages/wire.js';
import type { RequestIds } from './substitute-responses.js';

/** Which requests of an event stream still wait for their answer. */
export interface Unanswered {
  /** Takes a piece of the stream as it goes out. */
  see(piece: Uint8Array): void;
  /** @returns the ids of requests whose answers did not go out */
  ids(): readonly RequestId[];
}

/**
 * Watches an event stream for answers, so that an error can be sent in the place of those that do not come, and in the
 * place of no other. The SDK writes one event a piece, and ends the stream with the last answer: only in a batch does
 * anything have to be looked at.
 *
 * @param requests the requests that the stream answers
 * @param response the response whose body is the stream; others are no place for an error
 * @returns the watch
 */
export function unanswered(requests: () => RequestIds, response: Response): Unanswered {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return { see: () => undefined, ids: () => [] };
  }
  const asked = requests();
  if (!Array.isArray(asked))
    return { see: () => undefined, ids: () => (asked === undefined ? [] : [asked as RequestId]) };
  const open = new Set<RequestId>(asked);
  return {
    see(piece) {
      for (const line of Buffer.from(piece).toString().split('\n')) {
        if (line.startsWith('data: ')) answered(open, line.slice('data: '.length));
      }
    },
    ids: () => [...open],
  };
}

function answered(open: Set<RequestId>, data: string): void {
  try {
    const message: unknown = JSON.parse(data);
    if (read(message, 'method') === undefined) open.delete(read(message, 'id') as RequestId);
  } catch {
    // No JSON-RPC message, and so no answer.
  }
}
