import { parseExact } from '../../core/exact-json.js';
import { deferred } from '../../core/once.js';
import { type Message, readMessage } from '../../core/wire/messages.js';
import { ignore } from '../call.js';
import { watchBody } from './watch-body.js';

/** Characters of the text of a refusal that are read. */
const REFUSAL_CHARACTERS = 1000;

/** Where a stream is continued. */
export interface StreamPlace {
  eventId?: string | undefined;
  /** Milliseconds until it is asked for again. */
  retryMs: number;
}

/** Who gets what a response has. */
export interface ResponseReader {
  take(message: Message): void;
  /** Follows the stream, so that it can be continued. */
  readonly place: StreamPlace;
  /** Receives where a server of HTTP+SSE wants messages to be posted. */
  endpoint?(data: string): void;
}

/** Lets whatever reads responses wait, so that the server has to. */
export class PauseGate {
  private paused: ReturnType<typeof deferred<void>> | undefined;

  /** Resolves when reading goes on; `undefined` while nothing waits. */
  get over(): Promise<void> | undefined {
    return this.paused?.promise;
  }

  pause(isPaused: boolean): void {
    if (isPaused === (this.paused !== undefined)) return;
    this.paused?.resolve();
    this.paused = isPaused ? deferred() : undefined;
  }
}

/** @returns whether a response is a stream of events, and not one text */
export const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * Reads the messages of a response as they arrive, from a stream of events or from one text.
 *
 * @param response what the server answered
 * @param paused while it is paused, nothing is read
 * @param reader who gets the messages
 * @returns the beginning of a text that is not a stream; empty for a stream
 * @throws what ends a stream early; `SyntaxError` for a successful text that is not JSON
 */
export async function readResponse(
  response: Response,
  paused: PauseGate,
  reader: ResponseReader,
): Promise<string> {
  const watched = watchBody(response, { waits: () => paused.over, ended: ignore });
  if (!isStream(response)) {
    const text = await watched.text();
    takeText(text, response.ok, reader);
    return text.trim() === '' ? '' : text.slice(0, REFUSAL_CHARACTERS);
  }
  if (watched.body !== null) await takeEvents(watched.body, reader);
  return '';
}

function takeText(text: string, isAccepted: boolean, reader: ResponseReader): void {
  if (text.trim() === '') return;
  try {
    for (const each of [parseExact(text)].flat()) takeMessage(each, reader);
  } catch (cause) {
    // The text of a refusal says more than that it is not JSON.
    if (isAccepted) throw cause;
  }
}

async function takeEvents(body: NonNullable<Response['body']>, reader: ResponseReader): Promise<void> {
  // Imported here, because the first list of a process does not need it.
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const { place } = reader;
  const parser = new EventSourceParserStream({
    onRetry: (ms) => {
      place.retryMs = ms;
    },
  });
  for await (const { data, id, event } of body.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
    if (event === 'endpoint') {
      reader.endpoint?.(data);
      continue;
    }
    if (id !== undefined) place.eventId = id;
    // Some servers keep a stream open with events of their own.
    if (data === '' || (event !== undefined && event !== 'message')) continue;
    takeMessage(parseExact(data), reader);
  }
}

function takeMessage(value: unknown, reader: ResponseReader): void {
  const found = readMessage(value);
  if ('message' in found) reader.take(found.message);
}
