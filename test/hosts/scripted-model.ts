import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './dialects/anthropic.js';
import type { Dialect, ModelRequest, Reply } from './dialects/dialect.js';
import { gemini } from './dialects/gemini.js';
import { openaiChat } from './dialects/openai-chat.js';
import { openaiResponses } from './dialects/openai-responses.js';

/** A model that answers what a script says. It speaks the APIs of four providers. */
export interface ScriptedModel {
  readonly url: string;
  /** Requests that no dialect answers: hosts ask for settings, models and more. */
  readonly others: readonly string[];
  /** Replaces the script. */
  follow(script: Script): void;
  close(): Promise<void>;
}

/** Decides the answer to a request. */
export type Script = (request: ModelRequest) => Promise<Reply>;

const DIALECTS: readonly Dialect[] = [anthropic, openaiChat, openaiResponses, gemini];

/**
 * Starts the model on a port that the system picks.
 *
 * @returns the model, whose script answers "ok" until another one is set
 * @example
 * const model = await startModel();
 * model.follow(async ({ tools }) => ({ text: `${tools.length} tools` }));
 */
export async function startModel(): Promise<ScriptedModel> {
  const others: string[] = [];
  let script: Script = async () => ({ text: 'ok' });
  let count = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const text = await bodyOf(request);
    const dialect = DIALECTS.find((each) => each.matches(path));
    if (dialect === undefined || request.method !== 'POST') {
      others.push(`${request.method} ${path}`);
      return answerOther(path, response);
    }
    const body: unknown = JSON.parse(text);
    const asked = { ...dialect.read(body, path), text };
    const reply = await script(asked);
    count += 1;
    const id = `scripted${count}`;
    if (!asked.streams) return sendJson(response, 200, dialect.whole(reply, id));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    for (const { name, data } of dialect.stream(reply, id)) {
      const line = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${line}\n\n`);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((cause: unknown) => {
      others.push(`${request.method} ${request.url}: ${cause}`);
      if (response.headersSent) response.end();
      else sendJson(response, 500, { error: { message: String(cause) } });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    others,
    follow: (next) => {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Hosts list models and count tokens. Everything else does not exist here. */
function answerOther(path: string, response: ServerResponse): void {
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 1 });
  if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 1 });
  if (path.endsWith('/models')) {
    return sendJson(response, 200, {
      object: 'list',
      data: [{ id: 'scripted', object: 'model' }],
      models: [],
    });
  }
  sendJson(response, 404, { error: { message: 'The scripted model does not serve this path.' } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
