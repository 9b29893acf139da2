/** The first 32 bits of the fractional parts of a root of the first primes (FIPS 180-4, sections 4.2.2 and 5.3.3). */
function fractions(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes.map((prime) => (root(prime) % 1) * 2 ** 32);
}

const ROUNDS = Int32Array.from(fractions(64, Math.cbrt), (value) => value | 0);
const START = fractions(8, Math.sqrt);
const BLOCK = 64;

/**
 * Computes a SHA-256 digest (FIPS 180-4, section 6.2). Browsers have only an asynchronous one, and none at all on pages
 * that were not served over HTTPS. Use `node:crypto` where it exists.
 *
 * @param text the text, which is encoded as UTF-8
 * @returns 64 hexadecimal digits
 * @example
 * sha256('abc').slice(0, 8); // 'ba7816bf'
 */
export function sha256(text: string): string {
  const message = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((message.length + 9) / BLOCK) * BLOCK));
  new Uint8Array(padded.buffer).set(message);
  padded.setUint8(message.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(message.length) * 8n);
  const state = Int32Array.from(START, (value) => value | 0);
  const words = new Int32Array(64);
  for (let offset = 0; offset < padded.byteLength; offset += BLOCK) {
    for (let t = 0; t < 16; t++) words[t] = padded.getInt32(offset + t * 4);
    compress(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function compress(state: Int32Array, words: Int32Array): void {
  const at = (index: number): number => words[index] ?? 0;
  for (let t = 16; t < 64; t++) {
    const [x, y] = [at(t - 15), at(t - 2)];
    const small = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    words[t] = at(t - 16) + small + at(t - 7) + (rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10));
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = h + sum1 + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + at(t);
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] ?? 0) + word;
  });
}
