import { fromBase64url, toBase64url } from '../../core/base64.js';
import { NotReadable, type PlaygroundDocument, readDocument } from './document.js';

/** The name of the document in the fragment of an address. */
const PARAMETER = 'policy';

/** The longest text that a link may unpack to, in bytes. A short link can unpack to gigabytes. */
const MAX_BYTES = 8_000_000;

/**
 * Writes a document into the fragment of an address. Browsers never send a fragment to a server.
 *
 * @param document the document
 * @returns the fragment, with its `#`
 * @example
 * location.hash = await toFragment(document);
 */
export async function toFragment(document: PlaygroundDocument): Promise<string> {
  const packed = new Blob([JSON.stringify(document)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  return `#${PARAMETER}=${toBase64url(new Uint8Array(await new Response(packed).arrayBuffer()))}`;
}

/**
 * Reads the document of a fragment.
 *
 * @param fragment the fragment of the address, with its `#`
 * @returns the document; `undefined` if the fragment has none
 * @throws {Error} with a sentence for the person, if the link was cut off, or contains something else
 * @example
 * await fromFragment(location.hash);
 */
export async function fromFragment(fragment: string): Promise<PlaygroundDocument | undefined> {
  const encoded = new URLSearchParams(fragment.slice(1)).get(PARAMETER);
  if (encoded === null) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(await unpack(fromBase64url(encoded)));
  } catch (cause) {
    throw new NotReadable('The link does not contain a policy, or it was cut off.', { cause });
  }
  return readDocument(data);
}

function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  let total = 0;
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      total += chunk.byteLength;
      if (total > MAX_BYTES) throw new RangeError('The document is too large.');
      controller.enqueue(chunk);
    },
  });
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(unpacked.pipeThrough(limit)).text();
}
