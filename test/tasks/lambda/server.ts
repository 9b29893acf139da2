import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Executions, type ExecutionsOptions } from './executions.js';

/** The part of Lambda that durable functions need, over HTTP, for clients of the AWS SDK. */
export interface FakeLambda {
  readonly endpoint: string;
  readonly executions: Executions;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const error = (status: number, type: string): Answer => ({
  status,
  body: { Type: 'User', message: type },
  headers: { 'x-amzn-errortype': type },
});
const NOT_FOUND = error(404, 'ResourceNotFoundException');
const ok = (body: unknown): Answer => ({ status: 200, body });

/** Starts the fake on a free port. State is in this process; what it invokes can be processes of their own. */
export async function startFakeLambda(options: ExecutionsOptions): Promise<FakeLambda> {
  const executions = new Executions(options);
  const server = createServer((request, response) => {
    void text(request).then((body) => respond(response, route(executions, request, body)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    executions,
    async close() {
      await executions.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function respond(response: ServerResponse, answer: Answer | undefined): void {
  // The process that asked was killed.
  if (answer === undefined) return void response.destroy();
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
}

/** The routes of https://docs.aws.amazon.com/lambda/latest/api. Returns `undefined` if nobody waits for an answer. */
function route(
  executions: Executions,
  { url = '/', headers }: IncomingMessage,
  body: string,
): Answer | undefined {
  const path = decodeURIComponent(new URL(url, 'http://lambda').pathname);
  const invoked = /^\/2015-03-31\/functions\/(.+)\/invocations$/.exec(path);
  if (invoked !== null) {
    const name = headers['x-amz-durable-execution-name'];
    if (typeof name !== 'string') return error(400, 'InvalidParameterValueException');
    const execution = executions.start(invoked[1] ?? '', name, body);
    if (execution === 'conflict') return error(409, 'DurableExecutionAlreadyStartedException');
    return { status: 202, headers: { 'x-amz-durable-execution-arn': execution.arn } };
  }

  const callback = /^\/2025-12-01\/durable-execution-callbacks\/(.+)\/succeed$/.exec(path);
  if (callback !== null) {
    const open = executions.succeed(callback[1] ?? '', body);
    return open ? ok({}) : error(400, 'CallbackTimeoutException');
  }

  const [, arn = '', action] =
    /^\/2025-12-01\/durable-executions\/(.+?)(?:\/(checkpoint|state|stop))?$/.exec(path) ?? [];
  const execution = executions.byArn(arn);
  if (execution === undefined) return NOT_FOUND;
  switch (action) {
    case 'checkpoint': {
      const { CheckpointToken = '', Updates = [] } = JSON.parse(body);
      const kept = executions.checkpoint(execution, CheckpointToken, Updates);
      if (kept === 'killed') return undefined;
      if (kept === 'refused') return error(400, 'InvalidParameterValueException');
      return ok({ CheckpointToken: kept.token, NewExecutionState: { Operations: kept.changed } });
    }
    case 'state':
      return ok({ Operations: [...execution.operations.values()] });
    case 'stop':
      executions.stop(execution);
      return ok({ StopTimestamp: Date.now() / 1000 });
    default:
      executions.counts.reads += 1;
      return ok({
        DurableExecutionArn: execution.arn,
        DurableExecutionName: execution.name,
        Status: execution.status,
        Result: execution.result,
        Error: execution.error,
        StartTimestamp: execution.startedAt / 1000,
      });
  }
}
