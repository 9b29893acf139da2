import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { fromBase64url, toBase64url } from '../../base64.js';
import { COME_BACK, type EndingTransport } from '../../gate/edge/gated-transport.js';
import {
  isRequest,
  type Request as McpRequest,
  type Message,
  read,
  TASK_RESULT,
} from '../../wire/messages.js';
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

/**
 * Reads a request of a client that comes back for the result of a task (MCP 2025-11-25, "Transports: Resumability and
 * Redelivery").
 *
 * @param request the HTTP request
 * @returns the `tasks/result` that the client waits for, and the same HTTP request as a POST; `undefined` for other requests
 */
export function readReturn({ method, url, headers, signal }: Request) {
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
 * A transport for one `tasks/result`. Its server can end the stream before the task has ended: then no process waits, and
 * the client comes back with the id of the event.
 */
export function taskResultTransport(
  Base: typeof WebStandardStreamableHTTPServerTransport,
  request: McpRequest,
): WebStandardStreamableHTTPServerTransport & EndingTransport {
  class TaskResultTransport extends Base implements EndingTransport {
    private retryMs: number | undefined;
    private readonly request = request;

    [COME_BACK](_id: unknown, retryMs: number): () => void {
      this.retryMs = retryMs;
      return () => this.closeSSEStream(this.request.id);
    }

    override async handleRequest(
      ...given: Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>
    ): Promise<Response> {
      const response = await super.handleRequest(...given);
      const { status, headers, body } = response;
      if (status !== 200 || body === null) return response;
      return new Response(this.primed(body), { status, headers });
    }

    /** Puts an event with the id in front of a stream whose client can come back. */
    primed(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const reader = body.getReader();
      let isFirst = true;
      return new ReadableStream({
        pull: async (controller) => {
          const { done, value } = await reader.read();
          if (isFirst && this.retryMs !== undefined) {
            const event = `id: ${eventIdOf(this.request)}\nretry: ${this.retryMs}\ndata:\n\n`;
            controller.enqueue(new TextEncoder().encode(event));
          }
          isFirst = false;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      });
    }
  }
  return new TaskResultTransport({});
}
