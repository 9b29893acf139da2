import { createCipheriv, createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fromBase64, fromBase64url, toBase64, toBase64url } from '../../src/core/base64.js';
import { sha256Of } from '../../src/core/sha256.js';
import { seal, unseal } from '../../src/core/wire/seal.js';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const TEXTS = ['', 'a', 'page-2', 'next → 𝒳 Ж', '\ufeffa', '\u0000', 'x'.repeat(200_000)];

/** What earlier versions did with the module of Node.js: their seals are in cursors and session ids of clients. */
function sealByNode(bound: string, text: string): string {
  const nonce = createHmac('sha256', KEY).update(`${bound}.${text}`).digest().subarray(0, 12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

describe('a seal', () => {
  it('has the bytes that earlier versions wrote', () => {
    expect(seal(KEY, 'tools', 'page-2')).toBe('KEsAs0W5VMrFY-zsJs3u5Ny6RkhuQ5Ft04GBScls8bLaLQ');
    for (const text of TEXTS) {
      for (const bound of ['', 'tools', 'Ж.𝒳']) expect(seal(KEY, bound, text)).toBe(sealByNode(bound, text));
    }
  });

  it('is opened to exactly the text that was sealed', () => {
    for (const text of TEXTS) expect(unseal(KEY, 'tools', seal(KEY, 'tools', text))).toBe(text);
  });

  it('is opened neither with another key nor for another text that it is bound to', () => {
    const sealed = seal(KEY, 'tools', 'page-2');
    expect(unseal(KEY.toReversed(), 'tools', sealed)).toBeUndefined();
    expect(unseal(KEY, 'prompts', sealed)).toBeUndefined();
  });

  it('is not opened if it is shorter than the nonce and the tag, or not base64url', () => {
    const sealed = seal(KEY, 'tools', '');
    for (let length = 0; length < sealed.length; length++) {
      expect(unseal(KEY, 'tools', sealed.slice(0, length))).toBeUndefined();
    }
    for (const text of [`${sealed}=`, ` ${sealed}`, `${sealed}\n`, `!${sealed}`, 'Ж']) {
      expect(unseal(KEY, 'tools', text)).toBeUndefined();
    }
  });
});

describe('Base64', () => {
  const bytes = TEXTS.map((text) => new TextEncoder().encode(text));
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);

  it.each([all, all.subarray(1), all.subarray(2), ...bytes])('is what Node.js writes and reads', (each) => {
    const buffer = Buffer.from(each);
    expect(toBase64(each)).toBe(buffer.toString('base64'));
    expect(toBase64url(each)).toBe(buffer.toString('base64url'));
    expect(fromBase64(toBase64(each))).toEqual(each);
    expect(fromBase64url(toBase64url(each))).toEqual(each);
  });

  it.each(['a', '-', '!w', 'Ж', '\u0000'])('is not read from %j', (text) => {
    expect(() => fromBase64url(text)).toThrow();
  });
});

it('computes the SHA-256 that Node.js computes', () => {
  for (const text of [...TEXTS, '\ud800']) {
    for (const encoding of ['hex', 'base64url'] as const) {
      expect(sha256Of(text, encoding)).toBe(createHash('sha256').update(text).digest(encoding));
    }
  }
});
