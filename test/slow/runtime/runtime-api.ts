import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const API = '/2018-06-01/runtime';
export const FUNCTION_ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:mcp-concerns-dev-mcp';

/** A response or error that the process of a function sent to the Runtime API. */
export interface Posted {
  readonly to: 'response' | 'error' | 'init/error';
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: Buffer;
}

export interface Answer extends Posted {
  readonly requestId: string;
  /** Milliseconds from the event to the last byte of the response. */
  readonly ms: number;
}

/** The Runtime API of Lambda, for one process. */
export interface RuntimeApi {
  /** The value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Resolves when the process requests its first event, or with the error that it sent because it could not start. */
  readonly started: Promise<Posted | undefined>;
  /** Sends an event to the process, and waits for the response. */
  invoke(event: unknown): Promise<Answer>;
  /** Requests that a process must not send: an unknown path, a second response, the next event before a response. */
  readonly unexpected: readonly string[];
  close(): Promise<void>;
}

export async function startRuntimeApi(timeoutMs = 29_000): Promise<RuntimeApi> {
  const started = defer<Posted | undefined>();
  const open = new Map<string, Deferred<Posted>>();
  const unexpected: string[] = [];
  /** The request for the next event, which is answered when there is one. */
  let next = defer<ServerResponse>();
  let idle = false;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '', headers } = request;
    if (method === 'GET' && url === `${API}/invocation/next` && open.size === 0 && !idle) {
      idle = true;
      started.resolve(undefined);
      next.resolve(response);
      return;
    }
    const body = await buffer(request);
    const posted = (to: Posted['to']): Posted => ({ to, headers, trailers: request.trailers, body });
    const [, id = '', to] = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/.exec(url) ?? [];
    const waiting = open.get(id);
    if (method === 'POST' && waiting !== undefined) {
      open.delete(id);
      waiting.resolve(posted(to as 'response' | 'error'));
    } else if (method === 'POST' && url === `${API}/init/error`) {
      started.resolve(posted('init/error'));
    } else {
      unexpected.push(`${method} ${url}`);
      response.writeHead(400).end('{}');
      return;
    }
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((cause: Error) => unexpected.push(cause.message));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    started: started.promise,
    unexpected,
    async invoke(event) {
      const response = await next.promise;
      next = defer();
      idle = false;
      const requestId = randomUUID();
      const posted = defer<Posted>();
      open.set(requestId, posted);
      const began = performance.now();
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'Lambda-Runtime-Aws-Request-Id': requestId,
          'Lambda-Runtime-Deadline-Ms': Date.now() + timeoutMs,
          'Lambda-Runtime-Invoked-Function-Arn': FUNCTION_ARN,
          'Lambda-Runtime-Trace-Id': 'Root=1-00000000-000000000000000000000000;Sampled=0',
        })
        .end(JSON.stringify(event));
      return { ...(await posted.promise), requestId, ms: performance.now() - began };
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

function defer<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
