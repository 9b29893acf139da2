import { fromBase64url, toBase64url } from '../../base64.js';
import { COME_BACK, type EndingTransport } from '../../gate/edge/gated-transport.js';
import {
  isRequest,
  type Request as McpRequest,
  type Message,
  read,
  TASK_RESULT,
} from '../../wire/messages.js';
import type { HttpTransport, HttpTransportClass } from '../../wire/transport.js';
import { parseJson } from '../request-body.js';

/** Ids of events of other streams have another form. */
const EVENT_ID = /^res:((?:[\w-]{4})*(?:[\w-]{2,3})?)$/;

/**
 * Returns the id of an event on the stream of a `tasks/result`: all that any process needs to go on. It grants nothing,
 * because the request that it stands for is checked like every other.
 *
 * @param taskId the id of the task
 * @param id the id of the client's request
 */
function eventIdOf({ id, params }: McpRequest): string {
  const text = JSON.stringify([read(params, 'taskId'), id]);
  return `res:${toBase64url(new TextEncoder().encode(text))}`;
}

/** A client that comes back for the result of a task. */
export interface ReturnedRequest {
  /** The `tasks/result` that it waits for. */
  readonly message: McpRequest;
  /** Its HTTP request as a POST. */
  readonly post: Request;
}

/**
 * Reads a request of a client that comes back for the result of a task (MCP 2025-11-25, "Transports: Resumability and
 * Redelivery").
 *
 * @param request the HTTP request
 * @returns the `tasks/result` that the client waits for, and the same HTTP request as a POST; `undefined` for other requests
 */
export function readReturn({ method, url, headers, signal }: Request): ReturnedRequest | undefined {
  if (method !== 'GET') return undefined;
  const [, encoded] = EVENT_ID.exec(headers.get('last-event-id') ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const decoded = parseJson(new TextDecoder().decode(fromBase64url(encoded)));
  if (!Array.isArray(decoded)) return undefined;
  const [taskId, id]: unknown[] = decoded;
  if (typeof taskId !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const posted = new Headers(headers);
  posted.delete('last-event-id');
  posted.set('accept', 'application/json, text/event-stream');
  posted.set('content-type', 'application/json');
  const message: McpRequest = { jsonrpc: '2.0', id, method: TASK_RESULT, params: { taskId } };
  return { message, post: new Request(url, { method: 'POST', headers: posted, signal }) };
}

/** Returns the request for the result of a task, if it is the only message of a body. */
export function resultRequest(messages: readonly unknown[]): McpRequest | undefined {
  const [message] = messages as readonly Message[];
  if (messages.length !== 1 || message === undefined || !isRequest(message)) return undefined;
  return message.method === TASK_RESULT ? message : undefined;
}

/**
 * Makes a transport for one `tasks/result`. Its server can end the stream before the task has ended: then no process waits, and
 * the client comes back with the id of the event.
 *
 * @param request the request for the result
 * @param Transport the transport of the SDK that the project has
 */
export function taskResultTransport(
  request: McpRequest,
  Transport: HttpTransportClass,
): HttpTransport & EndingTransport {
  const transport = new Transport({});
  let retryMs: number | undefined;
  const handle = transport.handleRequest.bind(transport);
  return Object.assign(transport, {
    [COME_BACK](_id: unknown, given: number): () => void {
      retryMs = given;
      return () => transport.closeSSEStream(request.id);
    },
    async handleRequest(...given: Parameters<typeof handle>): Promise<Response> {
      const response = await handle(...given);
      const { status, headers, body } = response;
      if (status !== 200 || body === null) return response;
      return new Response(
        primed(body, () => (retryMs === undefined ? undefined : { id: eventIdOf(request), retryMs })),
        { status, headers },
      );
    },
  });
}

/** Puts an event with an id in front of a stream, if its client can come back when it is first read. */
function primed(
  body: ReadableStream<Uint8Array>,
  event: () => { readonly id: string; readonly retryMs: number } | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isFirst = true;
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      const first = isFirst ? event() : undefined;
      if (first !== undefined)
        controller.enqueue(new TextEncoder().encode(`id: ${first.id}\nretry: ${first.retryMs}\ndata:\n\n`));
      isFirst = false;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
