import { describe, expect, it } from 'vitest';
import { REDACTABLE, redact } from '../../../../examples/vault/redact.js';
import { growth, LINEAR } from '../../../growth.js';

const redacted = (text: string) => redact(text, REDACTABLE).text;

describe('redact', () => {
  it.each([
    ['Mail ann.lee+x@mail.example.org.', 'Mail [email].'],
    ['<ann@example.org>,bob@example.org', '<[email]>,[email]'],
    ['jörg@müller.example', '[email]'],
    ['Pay with 4111 1111 1111 1111, please', 'Pay with [card], please'],
    ['2 x 4111-1111-1111-1111', '2 x [card]'],
    ['Order 5 4111 1111 1111 1111 7', 'Order 5 [card] 7'],
    ['378282246310005', '[card]'],
    ['Call +49 (30) 123-4567 now', 'Call [phone] now'],
    ['from 192.168.0.1.', 'from [ipv4].'],
    ['+4111 1111 1111 1111', '[phone]'],
  ])('replaces personal data in %j', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    'a @ b',
    '@',
    'a@b',
    'user@localhost',
    '4111 1111 1111 1112',
    'version 1.2.3.4.5',
    '999.1.1.1',
    '+12',
    '',
  ])('does not change %j', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it('replaces only the given kinds, and counts them', () => {
    expect(redact('a@b.example, c@d.example, 10.0.0.1', ['email'])).toEqual({
      text: '[email], [email], 10.0.0.1',
      found: { email: 2, card: 0, phone: 0, ipv4: 0 },
    });
  });

  it.each(['@', 'a@', 'a', 'a.', '.', '1', '1-', '1 ', '1.', '+1', '+', '4111 ', 'a@a.', '1.1.1.1'])(
    'takes time proportional to the length for many %j',
    async (part) => {
      const redacting = (length: number) => {
        const text = part.repeat(length / part.length);
        return () => redacted(text);
      };
      // Shorter texts take 50 us, of which nothing can be told.
      expect(await growth(redacting, 30_000)).toBeLessThan(LINEAR);
    },
  );
});
