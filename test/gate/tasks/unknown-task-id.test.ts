import { expect, it } from 'vitest';
import { unknownTaskId } from '../../../src/core/gate/tasks/unknown-task-id.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

it.each([
  ['a UUID', 'd9428888-122b-11e1-b85c-61cd3cbb3210', UUID],
  [
    'a UUID in capitals',
    'D9428888-122B-11E1-B85C-61CD3CBB3210',
    /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/,
  ],
  ['a UUID of digits', '01234567-0123-1123-8123-012345678901', UUID],
  ['an id with too few characters to be unknown', 'task-123456789ab', UUID],
  ['an id without letters and digits', '-'.repeat(40), UUID],
  ['an id of 1001 characters', 'x'.repeat(1001), UUID],
  ['an id of 1000 characters', 'x'.repeat(1000), /^[a-z]{1000}$/],
  ['hexadecimal digits, as few as are enough', '0123456789abcdef', /^[0-9a-f]{16}$/],
  ['decimal digits', '1234567890123456', /^[0-9]{16}$/],
  ['capital hexadecimal digits', '0123456789ABCDEF', /^[0-9A-F]{16}$/],
  ['letters and digits', 'task_0123456789_xyz', /^[a-z]{4}_[0-9]{10}_[a-z]{3}$/],
  ['the last letters', 'ZZZZ-0123456789-zzzz', /^[A-Z]{4}-[0-9]{10}-[a-z]{4}$/],
  ['capitals', 'TASK-0123456789-Xyz', /^[A-Z]{4}-[0-9]{10}-[A-Z][a-z]{2}$/],
])('has the form of %s', (_what, id, form) => {
  for (let count = 0; count < 50; count++) expect(unknownTaskId(id)).toMatch(form);
});

it('is a random UUID in the place of any other UUID, whose version a server may check', () => {
  const id = 'd9428888-122b-11e1-b85c-61cd3cbb3210';
  const random = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  for (let count = 0; count < 10; count++) expect(unknownTaskId(id)).toMatch(random);
});

it('is another one each time', () => {
  const made = new Set(Array.from({ length: 100 }, () => unknownTaskId('0123456789abcdef0123')));
  expect(made.size).toBe(100);
});

it('uses every digit of its alphabet', () => {
  const made = Array.from({ length: 100 }, () => unknownTaskId('0123456789abcdef')).join('');
  expect([...new Set(made)].sort().join('')).toBe('0123456789abcdef');
});
