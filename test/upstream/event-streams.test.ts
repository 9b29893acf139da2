import { describe, expect, it } from 'vitest';
import { RemoteTransport } from '../../src/proxy/wires/remote.js';

const TEXT = new TextEncoder();
const [progress, answer] = [
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 0.5 } },
  { jsonrpc: '2.0', id: 1, result: { note: 'größer' } },
];

/** What the wire reads of a response that arrives in pieces of `size` bytes. */
async function received(stream: string, size: number): Promise<readonly unknown[]> {
  const bytes = TEXT.encode(stream);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  );
  const messages: unknown[] = [];
  const wire = new RemoteTransport(
    new URL('http://localhost/mcp'),
    {},
    async () =>
      new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } }),
    'modern',
  );
  await wire.send(
    { jsonrpc: '2.0', id: 1, method: 'tools/call' },
    { received: (message) => messages.push(message) },
  );
  return messages;
}

describe.each([1, 7, 10_000])('an event stream of a modern server, in pieces of %i bytes', (size) => {
  it.each([
    ['line feeds', '\n'],
    ['carriage returns and line feeds', '\r\n'],
  ])('is read with %s', async (_name, end) => {
    const events = [progress, answer].map(
      (message) => `: a comment${end}event: message${end}data: ${JSON.stringify(message)}${end}${end}`,
    );
    expect(await received(events.join(''), size)).toEqual([progress, answer]);
  });

  it('is read where lines end in different ways', async () => {
    const text = `data:${JSON.stringify(progress)}\n\r\nretry: 10\r\ndata: ${JSON.stringify(answer)}\r\n\n`;
    expect(await received(text, size)).toEqual([progress, answer]);
  });

  it('is read where a message has several lines of data, and skips events without data', async () => {
    const lines = JSON.stringify(answer, null, 1).split('\n');
    const text = `id: 7\ndata:\n\nevent: ping\n\n${lines.map((line) => `data: ${line}\n`).join('')}\n`;
    expect(await received(text, size)).toEqual([answer]);
  });

  it('has no message where the last event does not end', async () => {
    const text = `data: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify(answer)}\n`;
    await expect(received(text, size)).rejects.toThrow('its response ended before the answer');
  });
});
