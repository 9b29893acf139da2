import { describe, expect, it } from 'vitest';
import { NameFinder } from '../../../src/core/gate/enforce/name-finder.js';
import { textRedaction } from '../../../src/core/gate/enforce/text-redaction.js';
import type { Substitute } from '../../../src/core/gate/request/facts.js';
import type { Request } from '../../../src/core/wire/messages.js';
import { growth, LINEAR } from '../../growth.js';

const HIDDEN = ['secret', 'vault', 'schlüssel', 'r://a/secret', 'note'];

const request = (method: string, params: Request['params'] = {}): Request => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});
const call = (name: string, given: unknown = {}) => request('tools/call', { name, arguments: given });

const redactedFor = (sent: Request, text: string, substitute?: Substitute, hidden = HIDDEN) =>
  textRedaction(new NameFinder(hidden), sent, substitute)(text);

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

  it('stays in no part, if it is no URI', () => {
    expect(redactedFor(call('group/my secret'), 'no "group/my secret", "my secret"')).toBe(
      'no "group/my secret", "my [hidden]"',
    );
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

describe('the requested URI', () => {
  const read = (uri: string) => request('resources/read', { uri });

  it('stays as a whole, as it was sent and in its normal form', () => {
    expect(redactedFor(read('R://secret/x'), 'R://secret/x, r://secret/x, secret/x')).toBe(
      'R://secret/x, r://secret/x, [hidden]/x',
    );
  });

  it('stays in its last segment if that only begins or ends with a hidden name', () => {
    expect(redactedFor(read('r://b/secret plan'), 'no "secret plan", secret')).toBe(
      'no "secret plan", [hidden]',
    );
    expect(redactedFor(read('r://b/plan secret'), 'no "plan secret", secret')).toBe(
      'no "plan secret", [hidden]',
    );
    expect(redactedFor(read('r://b/'), 'no secret')).toBe('no [hidden]');
  });

  it('does not stay in its last segment if that is a hidden name, also one that contains another', () => {
    expect(redactedFor(read('r://b/my note'), 'no "my note"', undefined, ['my', 'my note'])).toBe(
      'no "[hidden]"',
    );
  });

  it('may be as long as a name that is repeated, and is searched in linear time', async () => {
    const searching = (length: number) => {
      const long = read(`r:${'x'.repeat(length)}/`);
      // A search for its last segment from each of its characters takes quadratic time.
      return () => expect(redactedFor(long, 'no secret')).toBe('no [hidden]');
    };
    expect(await growth(searching, 8_187)).toBeLessThan(LINEAR);
  });

  it('is not there in a request that names none', () => {
    expect(redactedFor(request('tools/list', { name: 'my secret tool' }), 'no my secret tool')).toBe(
      'no my [hidden] tool',
    );
  });
});

describe('hidden names and echoes that overlap', () => {
  it.each([
    ['ends inside the echo', ['b c'], 'c d', 'b c d', '[hidden] d'],
    ['begins inside the echo', ['b c'], 'a b', 'a b c', 'a [hidden]'],
    ['is inside the echo', ['b'], 'a b c', 'a b c', 'a b c'],
    ['is the echo', ['b'], 'b', 'a b c', 'a b c'],
    ['is inside the second of two echoes', ['b'], 'a b', 'a b, b, a b', 'a b, [hidden], a b'],
    ['is inside one of two echoes that overlap', ['x'], 'o x o', 'o x o x o, x', 'o x o x o, [hidden]'],
  ])('the name %s', (_where, hidden, echo, text, redacted) => {
    expect(redactedFor(call(echo), text, undefined, hidden)).toBe(redacted);
  });
});

describe('hidden names next to a substitute', () => {
  const substitute: Substitute = { name: 'u-1', sent: 'u-1', original: 'o' };

  it.each([
    ['overlap its begin', ['no u'], 'no u-1', 'no o'],
    ['overlap its end', ['1 is'], 'u-1 is', 'o is'],
    ['touch its begin', [':'], ':u-1', '[hidden]o'],
    ['touch its end', [':'], 'u-1:', 'o[hidden]'],
    ['contain it', ['a u-1 b'], 'a u-1 b', 'a o b'],
    ['are between two', [':'], 'u-1:u-1', 'o[hidden]o'],
    ['are before and after', ['x'], 'x u-1 x u-1 x', '[hidden] o [hidden] o [hidden]'],
  ])('%s', (_where, hidden, text, redacted) => {
    expect(redactedFor(call('o'), text, substitute, hidden)).toBe(redacted);
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
