import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';
import { VaultError } from './vault-error.js';

export const ALGORITHMS = ['gzip', 'brotli'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

const compressors = { gzip: promisify(gzip), brotli: promisify(brotliCompress) };
const decompressors = { gzip: promisify(gunzip), brotli: promisify(brotliDecompress) };

/** Compresses bytes off the main thread. */
export function compress(data: Buffer, algorithm: Algorithm): Promise<Buffer> {
  if (algorithm === 'gzip') return compressors.gzip(data);
  // The default quality of 11 takes about twenty times as long and saves a few percent.
  return compressors.brotli(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** Decompresses at most `maxBytes`, because a few kilobytes can expand to gigabytes. */
export async function decompress(data: Buffer, algorithm: Algorithm, maxBytes: number): Promise<Buffer> {
  try {
    return await decompressors[algorithm](data, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new VaultError(`The data expands beyond ${maxBytes} bytes; compress it in smaller pieces.`);
    }
    throw new VaultError(
      `The data is not complete ${algorithm} data; pass all of it, with the right algorithm.`,
    );
  }
}
