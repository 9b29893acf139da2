import { readRequestBody } from '@modelcontextprotocol/sdk/server/requestBody.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/core/http/request-body.js';

const URL = 'http://localhost/mcp';
const post = (body: string | ReadableStream | null, headers: Record<string, string> = {}) =>
  new Request(URL, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

/** A body in pieces, which counts those that were read. */
function inPieces(pieces: readonly Uint8Array[]) {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[seen.pulled++];
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

const statusOf = async (request: Request, maxBytes?: number) => {
  const read = await readJson(request, {}, maxBytes);
  return read instanceof Response ? read.status : 200;
};

describe('the body of a request', () => {
  it('is read up to its limit, which counts bytes and not letters', async () => {
    expect(await statusOf(post('"é"'), 4)).toBe(200);
    expect(await statusOf(post('"éé"'), 4)).toBe(413);
  });

  it('may have 4 MiB unless an endpoint says otherwise', async () => {
    const text = (length: number) => JSON.stringify('x'.repeat(length - 2));
    expect(await statusOf(post(text(4 * 1024 * 1024)))).toBe(200);
    expect(await statusOf(post(text(4 * 1024 * 1024 + 1)))).toBe(413);
  });

  it('is not read if it declares to be too long', async () => {
    const { body, seen } = inPieces([new Uint8Array([49])]);
    expect(await statusOf(post(body, { 'content-length': '100' }), 10)).toBe(413);
    expect(seen).toEqual({ pulled: 0, cancelled: false });
  });

  it('is not read behind its limit, whatever it declares, and its connection is not ended', async () => {
    const { body, seen } = inPieces(Array.from({ length: 100 }, () => new Uint8Array(10).fill(32)));
    expect(await statusOf(post(body, { 'content-length': '5' }), 30)).toBe(413);
    expect(seen).toEqual({ pulled: 4, cancelled: false });
  });

  it('that breaks off is answered with 400', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    expect(await statusOf(post(body))).toBe(400);
  });

  it.each([null, '', '{', '\u0000'])('%j is not JSON', async (body) => {
    expect(await statusOf(post(body))).toBe(400);
  });

  it('is the same text that the SDK reads, however it is cut into pieces', async () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { maxLength: 5 }),
        fc.string({ unit: 'grapheme' }),
        async (noise, text) => {
          const whole = new TextEncoder().encode(
            JSON.stringify({ text, noise: noise.map((each) => [...each]) }),
          );
          const cuts = noise.map((each) => each.length % Math.max(whole.length, 1)).sort((a, b) => a - b);
          const pieces = [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length));
          const read = await readJson(post(inPieces(pieces).body));
          const sdk = await readRequestBody(post(inPieces(pieces).body));
          expect(sdk.tooLarge || read).toEqual({ value: JSON.parse(sdk.tooLarge ? 'null' : sdk.text) });
        },
      ),
    );
  });
});
