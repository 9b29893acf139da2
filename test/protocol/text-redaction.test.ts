import { describe, expect, it } from 'vitest';
import { NameFinder } from '../../src/protocol/access/name-finder.js';
import { textRedaction } from '../../src/protocol/access/text-redaction.js';
import type { Request } from '../../src/protocol/messages/wire.js';
import type { Substitute } from '../../src/protocol/request/exchange.js';

const HIDDEN = ['secret', 'vault', 'schlüssel', 'r://a/secret', 'note'];

const request = (method: string, params: Request['params'] = {}): Request => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});
const call = (name: string, given: unknown = {}) => request('tools/call', { name, arguments: given });

const redactedFor = (sent: Request, text: string, substitute?: Substitute) =>
  textRedaction(new NameFinder(HIDDEN), sent, substitute)(text);

describe('hidden names in a text', () => {
  it.each([
    ['secret', '[hidden]'],
    ['Use secret, then vault.', 'Use [hidden], then [hidden].'],
    ['nothing', 'nothing'],
    ['', ''],
  ])('%j becomes %j', (text, redacted) => {
    expect(redactedFor(call('open'), text)).toBe(redacted);
  });

  it('are found in letters with combining marks', () => {
    expect(redactedFor(call('open'), 'Der schlu\u0308ssel fehlt')).toBe('Der [hidden] fehlt');
  });

  it('are all that changes: other combining marks stay as they are', () => {
    expect(redactedFor(call('open'), 'u\u0308ber')).toBe('u\u0308ber');
    expect(redactedFor(call('open'), 'u\u0308ber secret')).toBe('u\u0308ber [hidden]');
  });
});

describe('what the client wrote itself', () => {
  it.each([
    ['a value', { of: 'vault' }],
    ['a part of a value', { of: 'the vault of gold' }],
    ['a key', { vault: 1 }],
    ['a value in a list', { of: [{ deep: 'vault' }] }],
  ])('stays: %s', (_what, given) => {
    expect(redactedFor(call('open', given), 'vault and secret')).toBe('vault and [hidden]');
  });

  it('stays also if the server composes its letters', () => {
    expect(redactedFor(call('open', { of: 'schlu\u0308ssel' }), 'schlüssel')).toBe('schlüssel');
  });

  it.each(['argument', 'context', 'taskId'])('stays in %s', (param) => {
    expect(redactedFor(request('completion/complete', { [param]: 'vault' }), 'vault')).toBe('vault');
  });

  it('does not include other params, such as _meta', () => {
    expect(redactedFor(request('tools/call', { name: 'open', _meta: { a: 'vault' } }), 'vault')).toBe(
      '[hidden]',
    );
  });
});

describe('the requested name', () => {
  it('stays as a whole where the server repeats it, and nowhere else', () => {
    const text = 'Tool my secret tool not found. See secret.';
    expect(redactedFor(call('my secret tool'), text)).toBe('Tool my secret tool not found. See [hidden].');
  });

  it('does not stay if it is longer than any that a server lists', () => {
    const long = `${'x'.repeat(65_536)} secret`;
    expect(redactedFor(call(long), long)).toBe(`${'x'.repeat(65_536)} [hidden]`);
    const longest = `${'x'.repeat(65_529)} secret`;
    expect(redactedFor(call(longest), longest)).toBe(longest);
  });

  it('is a URI in its normal form, too', () => {
    const read = request('resources/read', { uri: 'R://b/../c/my secret' });
    const found = redactedFor(read, 'r://b/../c/my%20secret and R://b/../c/my secret');
    expect(found).toContain('R://b/../c/my secret');
  });

  it('is the last segment of a URI, but not a hidden name of its own', () => {
    const read = (uri: string) => request('resources/read', { uri });
    expect(redactedFor(read('r://b/my secret'), 'No file "my secret"')).toBe('No file "my secret"');
    expect(redactedFor(read('r://b/note'), 'No file "note"')).toBe('No file "[hidden]"');
  });
});

describe('a substitute', () => {
  const substitute: Substitute = { name: 'x-vault-x', sent: 'x-vault-x', original: 'secret' };

  it('is replaced with the name that the client sent, everywhere', () => {
    expect(redactedFor(call('secret'), 'x-vault-x: no tool x-vault-x', substitute)).toBe(
      'secret: no tool secret',
    );
  });

  it('keeps special patterns of replacements', () => {
    const odd = { ...substitute, original: "$& $1 $'" };
    expect(redactedFor(call('secret'), 'no x-vault-x', odd)).toBe("no $& $1 $'");
  });

  it('does not confirm the name that was requested', () => {
    expect(redactedFor(call('secret'), 'no x-vault-x, but vault', substitute)).toBe(
      'no secret, but [hidden]',
    );
    expect(redactedFor(call('secret'), 'no x-vault-x, but secret', substitute)).toBe(
      'no secret, but [hidden]',
    );
  });
});
