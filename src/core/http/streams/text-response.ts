import { concatBytes } from '@noble/hashes/utils.js';
import { once } from '../../once.js';

const encoder = new TextEncoder();

/** A text that many bodies contain. Its bytes are kept from the first time that one of these bodies is read. */
export class SharedText {
  readonly bytes: () => Uint8Array = once(() => encoder.encode(this.text));

  constructor(readonly text: string) {}
}

/** The parts of a text, in order. */
export type TextParts = readonly (string | SharedText)[];

/** The text of bodies that were made from one. Reading it here saves encoding, streaming and decoding it. */
const texts = new WeakMap<Response, TextParts>();

/**
 * Returns a response whose body is a text. Joining and encoding a long text takes longer than everything else in an answer,
 * so it happens when the body is read, and copies the bytes of what other bodies contain too.
 */
export function textResponse(parts: TextParts, init: ResponseInit): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        // A copy: a reader may change or transfer what it reads.
        controller.enqueue(bytesOf(parts));
        controller.close();
      },
    },
    // Nothing is joined before it is read.
    { highWaterMark: 0 },
  );
  const response = new Response(body, init);
  texts.set(response, parts);
  return response;
}

/** @returns the text of the body of a response; the body is read to the end unless `textResponse` made it */
export async function textOf(response: Response): Promise<string> {
  const parts = texts.get(response);
  return parts === undefined ? response.text() : joined(parts);
}

/** @returns a text from its parts */
export const joined = (parts: TextParts): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');

const bytesOf = (parts: TextParts): Uint8Array =>
  concatBytes(...parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part.bytes())));
