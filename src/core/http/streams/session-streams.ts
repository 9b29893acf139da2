import type { Policy } from '../../engine/policy.js';
import { LivePolicy } from '../../gate/request/live-policy.js';
import type { SessionRecord, SessionStore } from '../../session/store.js';
import { CAPABILITIES, listChangedMethod } from '../../wire/messages.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { GONE, sessionOf, storeKeyOf } from '../sessions.js';

/** How often the preferences of a session with a stream are read: they can change in another process. */
const POLL_MS = 5000;

/** The stream of one session. */
interface Stream {
  /** The preferences that the client knows, as JSON. */
  concerns: string;
  announce(method: string): void;
  end(): void;
}

/**
 * The streams that clients open with GET, one for each session. They announce lists that look different because another
 * client, another process or the program itself changed the preferences of the session, or because the policy was
 * replaced. Each announcement is sent once: if a client has a stream, the responses to its requests have none.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 *
 * @example
 * const streams = new SessionStreams(createMemoryStore(), policy);
 * const handle = createHandler({ server, policy, store: streams.store });
 * await handle(request, { announce: (session, method) => streams.announce(session, method) });
 */
export class SessionStreams {
  /** The store for the handler, whose own changes are announced in another way. */
  readonly store: SessionStore;
  private readonly streams = new Map<string, Stream>();
  private readonly polling: NodeJS.Timeout;
  private readonly unlisten: (() => void) | undefined;

  /**
   * @param inner where sessions are kept
   * @param policy the policy; one that can be replaced is watched
   * @param pollMs how often preferences are read
   */
  constructor(
    private readonly inner: SessionStore,
    policy: Policy | LivePolicy,
    pollMs: number = POLL_MS,
  ) {
    this.store = {
      read: (id) => inner.read(id),
      update: (id, change) => {
        const stream = this.streams.get(id);
        if (stream !== undefined && change.concerns !== undefined) stream.concerns = textOf(change);
        return inner.update(id, change);
      },
      end: async (id) => {
        await inner.end(id);
        this.streams.get(id)?.end();
      },
    };
    const compare = (isReplaced: boolean): void => {
      for (const id of this.streams.keys()) void this.compare(id, isReplaced);
    };
    this.polling = setInterval(compare, pollMs, false).unref();
    this.unlisten = policy instanceof LivePolicy ? policy.onReplace(() => compare(true)) : undefined;
  }

  /**
   * Sends a notification on the stream of a session.
   *
   * @param id the session
   * @param method the method of the notification
   * @returns whether the session has a stream
   */
  announce(id: string, method: string): boolean {
    const stream = this.streams.get(id);
    stream?.announce(method);
    return stream !== undefined;
  }

  /**
   * Opens the stream of a session.
   *
   * @param request the GET request
   * @returns the stream; an HTTP error if there is no such session, or if it has a stream
   */
  async open(request: Request): Promise<Response> {
    if (!request.headers.get('accept')?.includes('text/event-stream')) {
      return failure(406, HTTP_ERRORS.refused, 'Not acceptable: the stream is text/event-stream.');
    }
    const given = sessionOf(request.headers);
    if (given === undefined) {
      return failure(400, HTTP_ERRORS.refused, 'GET needs the Mcp-Session-Id header of a session.');
    }
    const id = storeKeyOf(given);
    const session = await this.inner.read(id);
    if (session.state !== 'live') return failure(404, HTTP_ERRORS.notFound, GONE);
    if (this.streams.has(id)) {
      return failure(409, HTTP_ERRORS.refused, 'The session already has a stream. Close that one first.');
    }
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' };
    return new Response(this.streamOf(id, textOf(session.record)), { headers });
  }

  /** Ends all streams. */
  close(): void {
    this.unlisten?.();
    clearInterval(this.polling);
    for (const stream of [...this.streams.values()]) stream.end();
  }

  private streamOf(id: string, concerns: string): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const write = (text: string): void => controller.enqueue(encoder.encode(text));
        this.streams.set(id, {
          concerns,
          announce: (method) =>
            write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`),
          end: () => {
            this.streams.delete(id);
            controller.close();
          },
        });
        // The headers are sent with the first bytes. A line that begins with a colon is a comment.
        write(': open\n\n');
      },
      cancel: () => void this.streams.delete(id),
    });
  }

  /** Announces what a new policy changes, and preferences that did not change through the handler. */
  private async compare(id: string, isReplaced: boolean): Promise<void> {
    // If the store cannot be read, the next list shows the change in any case.
    const session = await this.inner.read(id).catch(() => undefined);
    const stream = this.streams.get(id);
    if (stream === undefined || session === undefined) return;
    if (session.state !== 'live') return stream.end();
    const concerns = textOf(session.record);
    if (concerns === stream.concerns && !isReplaced) return;
    stream.concerns = concerns;
    for (const method of announced(session.record)) stream.announce(method);
  }
}

/** A store may return members in another order. */
const textOf = ({ concerns = {} }: SessionRecord): string => JSON.stringify(Object.entries(concerns).sort());

/** @returns the notifications of all lists whose changes the client was told to expect */
const announced = ({ listChanged = [] }: SessionRecord): string[] =>
  CAPABILITIES.filter((each) => listChanged.includes(each)).map(listChangedMethod);
