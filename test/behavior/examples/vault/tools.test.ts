import { createHash, createPublicKey, verify } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LIMITS } from '../../../../examples/vault/limits.js';
import { createVaultServer, Vault } from '../../../../examples/vault/server.js';

let client: Client;

async function connect(vault = new Vault()): Promise<Client> {
  const connected = new Client({ name: 'test', version: '1' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createVaultServer(vault).connect(serverSide);
  await connected.connect(clientSide);
  return connected;
}

beforeEach(async () => {
  client = await connect();
});

const PASSPHRASE = 'correct horse battery staple';
const replySchema = z.record(z.string(), z.unknown());

async function answer(name: string, args: Record<string, unknown>, from = client) {
  const result = CallToolResultSchema.parse(await from.callTool({ name, arguments: args }));
  const [content] = result.content;
  return { ...result, text: content?.type === 'text' ? content.text : '' };
}

/** Calls a tool that must succeed, and returns its reply. */
async function call(name: string, args: Record<string, unknown> = {}, from = client) {
  const { isError, text, structuredContent } = await answer(name, args, from);
  expect(isError, text).toBeUndefined();
  expect(JSON.parse(text)).toEqual(structuredContent);
  return replySchema.parse(structuredContent);
}

/** Calls a tool that must fail, and returns the message. The connection must still work. */
async function fail(name: string, args: Record<string, unknown>): Promise<string> {
  const { isError, text, structuredContent } = await answer(name, args);
  expect(isError, text).toBe(true);
  expect(structuredContent).toBeUndefined();
  await client.ping();
  return text;
}

async function textOf(name: string, args: Record<string, unknown>, field: string): Promise<string> {
  return z.string().parse((await call(name, args))[field]);
}

const encrypt = (args: Record<string, unknown>) => textOf('encryptData', args, 'ciphertext');

describe('encryption', () => {
  it('decrypts every text, and never returns the same ciphertext twice', async () => {
    for (const data of ['', 'secret', 'Grüße, 世界 🔐', '\u0000'.repeat(LIMITS.textCharacters)]) {
      const ciphertext = await encrypt({ data });
      expect(ciphertext).toMatch(/^enc1\.default\.1\.[\w-]+$/);
      expect(await call('decryptData', { ciphertext })).toEqual({ data });
      expect(await encrypt({ data })).not.toBe(ciphertext);
    }
  });

  it('needs the same context for decryption', async () => {
    const ciphertext = await encrypt({ data: 'secret', context: 'invoice 7' });
    expect(await call('decryptData', { ciphertext, context: 'invoice 7' })).toEqual({ data: 'secret' });
    expect(await fail('decryptData', { ciphertext, context: 'invoice 8' })).toContain('with the context');
  });

  it('rejects damaged and foreign ciphertexts, with a message that helps', async () => {
    const ciphertext = await encrypt({ data: 'secret' });
    const flipped = ciphertext.slice(0, -3) + (ciphertext.at(-3) === 'A' ? 'B' : 'A') + ciphertext.slice(-2);
    const cases = {
      [flipped]: 'was changed',
      [ciphertext.slice(0, 30)]: 'cut short',
      [`${ciphertext}!`]: 'damaged',
      [ciphertext.replace('default', 'other')]: 'There is no key "other"',
      [ciphertext.replace('default', 'signing')]: 'use a key of the kind "encryption"',
      [ciphertext.replace('.1.', '.2.')]: 'has no version 2',
      [ciphertext.replace('.1.', '.-1.')]: 'not a ciphertext',
      hello: 'starts with "enc1."',
      '': 'starts with "enc1."',
    };
    for (const [changed, message] of Object.entries(cases)) {
      expect(await fail('decryptData', { ciphertext: changed })).toContain(message);
    }
    await generate('other', 'encryption');
    expect(await fail('decryptData', { ciphertext: ciphertext.replace('default', 'other') })).toContain(
      'was changed',
    );
  });

  it('rejects long text and unknown arguments', async () => {
    expect(await fail('encryptData', { data: 'x'.repeat(LIMITS.textCharacters + 1) })).toContain('65536');
    expect(await fail('encryptData', { data: 'x', contxt: 'y' })).toContain('contxt');
    expect(await fail('encryptData', { data: 'x', keyId: '__proto__' })).toContain('lower-case');
    expect(await fail('encryptData', { data: 'x', keyId: 'constructor' })).toContain('no key "constructor"');
  });
});

const generate = (id: string, kind: string) => call('generateKey', { id, kind });

describe('signatures', () => {
  it('are valid for the signed text only', async () => {
    const signature = await textOf('signData', { data: 'I agree' }, 'signature');
    const key = { keyId: 'signing', version: 1 };
    expect(await call('verifySignature', { data: 'I agree', signature })).toEqual({ valid: true, ...key });
    expect(await call('verifySignature', { data: 'I agree!', signature })).toEqual({ valid: false, ...key });
  });

  it('can be verified with the public key outside of the vault', async () => {
    const signature = await textOf('signData', { data: 'I agree' }, 'signature');
    const { keys } = z
      .object({ keys: z.array(z.object({ publicKey: z.string().optional() })) })
      .parse(await call('listKeys'));
    const bytes = Buffer.from(signature.split('.')[3] ?? '', 'base64url');
    const publicKey = createPublicKey(keys[1]?.publicKey ?? '');
    expect(verify(null, Buffer.from('I agree'), publicKey, bytes)).toBe(true);
  });

  it('are rejected if they are malformed, and need a signing key', async () => {
    expect(await fail('verifySignature', { data: '', signature: 'sig1.signing.1.*' })).toContain('damaged');
    expect(await fail('verifySignature', { data: '', signature: 'sig1.gone.1.AAAA' })).toContain(
      'no key "gone"',
    );
    expect(await fail('verifySignature', { data: '', signature: 'x' })).toContain('starts with "sig1."');
    expect(await call('verifySignature', { data: '', signature: 'sig1.signing.1.AAAA' })).toMatchObject({
      valid: false,
    });
    expect(await fail('signData', { data: '', keyId: 'default' })).toContain('is for encryption');
  });
});

describe('digests and tokens', () => {
  it('hashes as node:crypto does', async () => {
    const digest = createHash('sha512').update('abc').digest('base64');
    expect(await call('hashData', { data: 'abc', algorithm: 'sha512', encoding: 'base64' })).toEqual({
      algorithm: 'sha512',
      digest,
    });
    expect(await textOf('hashData', { data: 'abc' }, 'digest')).toMatch(/^ba7816bf/);
  });

  it('returns equal tokens for equal values, in the same vault only', async () => {
    const value = '4111111111111111';
    const token = await textOf('tokenizeData', { value, keepLast: 4 }, 'token');
    expect(token).toMatch(/^tok_[\w-]{22}_1111$/);
    expect(await textOf('tokenizeData', { value, keepLast: 4 }, 'token')).toBe(token);
    expect(await textOf('tokenizeData', { value: `${value}0` }, 'token')).not.toContain(token.slice(0, 26));
    expect(await call('tokenizeData', { value, keepLast: 4 }, await connect())).not.toEqual({ token });
    expect(await fail('tokenizeData', { value: '12345', keepLast: 4 })).toContain('too short');
  });
});

describe('keys', () => {
  it('are generated, listed, rotated and deleted', async () => {
    await generate('mail', 'encryption');
    const old = await encrypt({ data: 'old', keyId: 'mail' });
    expect(await call('rotateKey', { id: 'mail' })).toMatchObject({ key: { id: 'mail', version: 2 } });
    expect(await encrypt({ data: 'new', keyId: 'mail' })).toMatch(/^enc1\.mail\.2\./);
    expect(await call('decryptData', { ciphertext: old })).toEqual({ data: 'old' });
    expect(await call('listKeys')).toMatchObject({ keys: [{}, {}, { id: 'mail', version: 2 }] });
    expect(await call('deleteKey', { id: 'mail' })).toEqual({ deleted: 'mail' });
    expect(await fail('decryptData', { ciphertext: old })).toContain('no key "mail"');
    expect(await fail('deleteKey', { id: 'mail' })).toContain('no key "mail"');
    expect(await fail('rotateKey', { id: 'mail' })).toContain('no key "mail"');
  });

  it('keep old signatures valid after a rotation', async () => {
    const signature = await textOf('signData', { data: 'x' }, 'signature');
    await call('rotateKey', { id: 'signing' });
    expect(await call('verifySignature', { data: 'x', signature })).toMatchObject({
      valid: true,
      version: 1,
    });
    expect(await textOf('signData', { data: 'x' }, 'signature')).toMatch(/^sig1\.signing\.2\./);
  });

  it('are limited in number and versions, and have unique ids', async () => {
    expect(await fail('generateKey', { id: 'default' })).toContain('choose another id');
    for (let count = 2; count < LIMITS.keys; count += 1) await call('generateKey');
    expect(await fail('generateKey', {})).toContain('delete one first');
    for (let version = 1; version < LIMITS.keyVersions; version += 1)
      await call('rotateKey', { id: 'default' });
    expect(await fail('rotateKey', { id: 'default' })).toContain('generate a new key');
  });

  it('can be derived from a passphrase: with the same salt, every vault derives the same key', async () => {
    const derived = await call('deriveKey', { id: 'mine', passphrase: PASSPHRASE });
    const ciphertext = await encrypt({ data: 'secret', keyId: 'mine' });
    expect(await call('deriveKey', { id: 'mine', passphrase: PASSPHRASE, salt: derived.salt })).toEqual(
      derived,
    );
    const elsewhere = await connect();
    await call('deriveKey', { id: 'mine', passphrase: PASSPHRASE, salt: derived.salt }, elsewhere);
    expect(await call('decryptData', { ciphertext }, elsewhere)).toEqual({ data: 'secret' });
    const wrong = { id: 'mine', passphrase: `${PASSPHRASE}!`, salt: derived.salt };
    expect(await fail('deriveKey', wrong)).toContain('choose another id');
    expect(await fail('deriveKey', { ...wrong, salt: 'AAAA' })).toContain('3 bytes instead of 16');
    expect(await fail('deriveKey', { ...wrong, salt: 'no' })).toContain('not Base64');
    expect(await fail('deriveKey', { ...wrong, passphrase: 'short' })).toContain('12');
  });
});

describe('the log', () => {
  it('contains entries of clients and of the vault', async () => {
    await call('generateKey', { id: 'mail' });
    await call('logData', { message: 'A visitor came.', level: 'warning' });
    expect(await call('readLog')).toMatchObject({
      entries: [
        { sequence: 1, source: 'vault', level: 'info', message: 'Key "mail" for encryption was generated.' },
        { sequence: 2, source: 'client', level: 'warning', message: 'A visitor came.' },
      ],
      total: 2,
      forgotten: 0,
    });
    expect(await call('readLog', { level: 'warning' })).toMatchObject({ entries: [{ sequence: 2 }] });
    expect(await call('readLog', { after: 2 })).toMatchObject({ entries: [] });
    expect(await call('readLog', { limit: 1 })).toMatchObject({ entries: [{ sequence: 2 }] });
  });

  it('has an entry about being cleared', async () => {
    await call('logData', { message: 'one' });
    expect(await call('clearLog')).toEqual({ cleared: 1 });
    expect(await call('readLog')).toMatchObject({
      entries: [{ sequence: 2, source: 'vault', level: 'warning' }],
      forgotten: 1,
    });
  });

  it('removes its oldest entries when it is full', async () => {
    for (let count = 0; count < LIMITS.logEntries + 3; count += 1)
      await call('logData', { message: `${count}` });
    expect(await call('readLog', { limit: 1 })).toMatchObject({ total: LIMITS.logEntries, forgotten: 3 });
    expect(await fail('logData', { message: '' })).toContain('message');
  });
});

describe('compression', () => {
  it.each(['gzip', 'brotli'])('restores every text with %s', async (algorithm) => {
    for (const text of ['', 'Grüße 🔐'.repeat(100), '語'.repeat(LIMITS.textCharacters), '\uFEFFmark']) {
      const data = await textOf('compressData', { data: text, algorithm }, 'data');
      expect(await call('decompressData', { data, algorithm })).toMatchObject({ data: text });
    }
  });

  it('stops at a decompression bomb', async () => {
    const zeros = Buffer.alloc(10 * 1_048_576);
    for (const [algorithm, bomb] of [
      ['gzip', gzipSync(zeros)],
      ['brotli', brotliCompressSync(zeros)],
    ] as const) {
      const args = { data: bomb.toString('base64'), algorithm };
      expect(await fail('decompressData', args)).toContain(`beyond ${LIMITS.outputBytes} bytes`);
    }
  });

  it('rejects damaged data, and returns binary data only as Base64', async () => {
    const binary = gzipSync(Buffer.from([0xff, 0xfe])).toString('base64');
    expect(await fail('decompressData', { data: binary })).toContain('encoding "base64"');
    expect(await call('decompressData', { data: binary, encoding: 'base64' })).toEqual({
      data: '//4=',
      bytes: 2,
    });
    expect(await fail('decompressData', { data: 'AAAA' })).toContain('not complete gzip data');
    expect(await fail('decompressData', { data: binary, algorithm: 'brotli' })).toContain(
      'not complete brotli',
    );
    expect(await fail('decompressData', { data: `${binary.slice(0, 16)}` })).toContain('pass all of it');
    expect(await fail('decompressData', { data: 'a b' })).toContain('not Base64');
  });
});

describe('validation', () => {
  it.each([
    ['json', '{"a":1}', '{a:1}'],
    ['base64', 'AAAA', 'AAA'],
    ['uuid', '01234567-89ab-4def-8123-456789abcdef', '01234567'],
    ['email', 'ann@example.org', 'ann@'],
    ['url', 'https://example.org/a?b', 'example'],
    ['date-time', '2026-01-31T10:00:00+01:00', '2026-02-31T10:00:00Z'],
    ['card', '4111 1111 1111 1111', '4111 1111 1111 1112'],
  ])('tells valid %s from invalid', async (format, good, bad) => {
    expect(await call('validateData', { data: good, format })).toEqual({ valid: true, problems: [] });
    expect(await call('validateData', { data: bad, format })).toMatchObject({
      valid: false,
      problems: [expect.any(String)],
    });
  });

  it('checks required fields, but not inherited ones', async () => {
    const data = '{"name":"x","constructor":1}';
    expect(await call('validateData', { data, requiredFields: ['name', 'toString', 'mail'] })).toEqual({
      valid: false,
      problems: ['The field "toString" is missing.', 'The field "mail" is missing.'],
    });
    expect(await call('validateData', { data: '[1]', requiredFields: ['name'] })).toMatchObject({
      valid: false,
    });
    expect(
      await call('validateData', { data: 'AAAA', format: 'base64', requiredFields: ['name'] }),
    ).toMatchObject({ valid: false });
    expect(await call('validateData', { data: '['.repeat(LIMITS.textCharacters) })).toMatchObject({
      valid: false,
    });
  });
});

describe('records', () => {
  it('are stored, fetched and deleted', async () => {
    const record = { id: 'note', content: 'Grüße', labels: ['private'] };
    expect(await call('storeRecord', record)).toMatchObject({
      created: true,
      record: { bytes: 7, keyId: 'default' },
    });
    expect(await call('storeRecord', record)).toMatchObject({ created: false });
    expect(await fail('storeRecord', { ...record, content: 'other' })).toContain('choose another id');
    expect(await call('fetchRecord', { id: 'note' })).toMatchObject(record);
    expect(await call('deleteRecord', { id: 'note' })).toEqual({ deleted: 'note' });
    expect(await fail('fetchRecord', { id: 'note' })).toContain('no record "note"');
    expect(await fail('deleteRecord', { id: 'note' })).toContain('no record "note"');
    expect(await fail('storeRecord', { ...record, keyId: 'signing' })).toContain('is for signing');
  });

  it('prevent the deletion of their key', async () => {
    await generate('mail', 'encryption');
    await call('storeRecord', { id: 'note', content: 'x', keyId: 'mail' });
    expect(await fail('deleteKey', { id: 'mail' })).toContain('still protects 1 record;');
    await call('deleteRecord', { id: 'note' });
    await call('deleteKey', { id: 'mail' });
  });

  it('are limited in number and size', async () => {
    const content = 'x'.repeat(LIMITS.recordCharacters);
    const capacity = LIMITS.storedBytes / LIMITS.recordCharacters;
    for (let count = 0; count < capacity; count += 1)
      await call('storeRecord', { id: `big-${count}`, content });
    expect(await fail('storeRecord', { id: 'more', content: 'x' })).toContain('delete records first');
    for (let count = 0; count < capacity; count += 1) await call('deleteRecord', { id: `big-${count}` });
    for (let count = 0; count < LIMITS.records; count += 1)
      await call('storeRecord', { id: `r-${count}`, content: '' });
    expect(await fail('storeRecord', { id: 'more', content: '' })).toContain('delete records first');
  });
});

describe('backups', () => {
  it('move all records into another vault, and report progress', async () => {
    for (let count = 0; count < 50; count += 1)
      await call('storeRecord', { id: `r-${count}`, content: `${count}`, labels: ['l'] });
    const steps: [number, number | undefined][] = [];
    const result = await client.callTool(
      { name: 'backupVault', arguments: { passphrase: PASSPHRASE } },
      CallToolResultSchema,
      { onprogress: ({ progress, total }) => steps.push([progress, total]) },
    );
    expect(steps).toEqual([20, 40, 50, 51].map((step) => [step, 51]));
    const { archive } = z.object({ archive: z.string() }).parse(result.structuredContent);
    const elsewhere = await connect();
    await call('storeRecord', { id: 'r-7', content: 'in the way' }, elsewhere);
    const restore = { archive, passphrase: PASSPHRASE };
    expect(await call('restoreVault', restore, elsewhere)).toEqual({ added: 49, replaced: 1 });
    expect(await call('fetchRecord', { id: 'r-7' }, elsewhere)).toEqual(
      await call('fetchRecord', { id: 'r-7' }),
    );
  });

  it('of a full vault can be restored', async () => {
    const content = '\u0001'.repeat(LIMITS.recordCharacters);
    for (let count = 0; count < LIMITS.storedBytes / LIMITS.recordCharacters; count += 1) {
      await call('storeRecord', { id: `r-${count}`, content });
    }
    const archive = await textOf('backupVault', { passphrase: PASSPHRASE }, 'archive');
    expect(await call('restoreVault', { archive, passphrase: PASSPHRASE })).toEqual({
      added: 0,
      replaced: 32,
    });
  });

  it('change nothing if they cannot be decrypted or are too large', async () => {
    await call('storeRecord', { id: 'note', content: 'x' });
    const archive = await textOf('backupVault', { passphrase: PASSPHRASE }, 'archive');
    const passphrase = PASSPHRASE;
    expect(await fail('restoreVault', { archive, passphrase: `${passphrase}!` })).toContain(
      'passphrase is wrong',
    );
    expect(await fail('restoreVault', { archive: archive.slice(0, 40), passphrase })).toContain('cut short');
    expect(await fail('restoreVault', { archive: `${archive}=`, passphrase })).toContain('damaged');
    expect(await fail('restoreVault', { archive: 'x', passphrase })).toContain('not a backup');
    expect(await fail('restoreVault', { archive, passphrase, keyId: 'signing' })).toContain('is for signing');
    await call('deleteRecord', { id: 'note' });
    for (let count = 0; count < LIMITS.records; count += 1)
      await call('storeRecord', { id: `r-${count}`, content: '' });
    expect(await fail('restoreVault', { archive, passphrase })).toContain('delete records first');
    expect(await fail('fetchRecord', { id: 'note' })).toContain('no record');
  });
});
