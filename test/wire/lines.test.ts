import { expect, it } from 'vitest';
import { Lines } from '../../src/core/wire/lines.js';

const MAX = 1000;

function reading() {
  const read: unknown[] = [];
  const lines = new Lines(MAX, {
    message: (message) => read.push(message),
    unreadable: (line, why, id) => read.push({ why, id, begin: line.slice(0, 10) }),
  });
  return { read, push: (text: string) => lines.push(Buffer.from(text)), end: () => lines.end() };
}

const LONG = 'x'.repeat(MAX);
const tooLong = (id: unknown) => ({ why: 'too-long', id, begin: expect.any(String) });

it('tells of a line that is too long before it ends, once if its id is known', () => {
  const { read, push } = reading();
  push('{"jsonrpc":"2.0","id":7,"result":{"text":"');
  push(LONG);
  expect(read).toEqual([tooLong(7)]);
  push(LONG);
  push('"}}\n{"jsonrpc":"2.0","id":8,"result":{}}\n');
  expect(read).toEqual([tooLong(7), { jsonrpc: '2.0', id: 8, result: {} }]);
});

it('tells of it again if its id follows', () => {
  const { read, push } = reading();
  push(`{"jsonrpc":"2.0","result":{"text":"${LONG}`);
  expect(read).toEqual([tooLong(undefined)]);
  push('"},"id":"last"}\n');
  expect(read).toEqual([tooLong(undefined), tooLong('last')]);
});

it('tells once of a line without an end and without an id', () => {
  const { read, push, end } = reading();
  for (let times = 0; times < 100; times++) push(LONG);
  end();
  expect(read).toEqual([tooLong(undefined)]);
});
