import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Sends a request, and returns its response before anything of the body is read. */
export function post(url: string, body: object, session?: string): Promise<IncomingMessage> {
  const headers = { ...HEADERS, ...(session === undefined ? {} : { 'mcp-session-id': session }) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, resolve);
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** Begins a session as hosts do that never end it. Returns its id. */
export async function begin(url: string): Promise<string> {
  const clientInfo = { name: 'host', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const session = response.headers['mcp-session-id'];
  response.resume();
  if (typeof session !== 'string') throw new Error(`initialize was answered with ${response.statusCode}.`);
  return session;
}

/** Calls the tool that sends this many bytes of progress. */
export const stream = (url: string, session: string, bytes: number): Promise<IncomingMessage> => {
  const params = { name: 'stream', arguments: { bytes }, _meta: { progressToken: 'stream' } };
  return post(url, { jsonrpc: '2.0', id: 'stream', method: 'tools/call', params }, session);
};

/** Calls a tool with a short answer. Returns the milliseconds until the answer is complete; not a number if it fails. */
export async function echo(url: string, session: string, patienceMs: number): Promise<number> {
  const from = performance.now();
  const params = { name: 'echo', arguments: { n: 1 } };
  const answered = (async () => {
    const response = await post(url, { jsonrpc: '2.0', id: 'echo', method: 'tools/call', params }, session);
    let text = '';
    for await (const chunk of response) text += chunk;
    return text.includes('"result"');
  })();
  const isAnswered = await Promise.race([answered, sleep(patienceMs, false, { ref: false })]);
  return isAnswered ? performance.now() - from : Number.NaN;
}

/** Reads a response in portions, and waits between them. Returns the bytes that were read, and the end of the text. */
export async function readSlowly(
  response: IncomingMessage,
  bytesPerRead: number,
  pauseMs: number,
): Promise<{ readonly bytes: number; readonly end: string }> {
  let [bytes, since, end] = [0, 0, ''];
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      since += chunk.length;
      end = (end + chunk).slice(-200);
      if (since < bytesPerRead) continue;
      since = 0;
      await sleep(pauseMs);
    }
  } catch {
    end = 'the connection was closed';
  }
  return { bytes, end };
}
