import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/session/store.js';

/** An implementation of the store as the suite needs it. */
export interface StoreUnderTest {
  /** @returns an empty store, whose records expire that long after their last use */
  open(options: { readonly expiresAfterSeconds: number }): SessionStore | Promise<SessionStore>;
  /** Lets time pass for the stores that were opened. */
  pass(seconds: number): void | Promise<void>;
}

/** What every store does, whatever it keeps its records in: the contract of `SessionStore`. */
export function describeStore(name: string, { open, pass }: StoreUnderTest): void {
  describe(name, () => {
    let store: SessionStore;
    beforeEach(async () => {
      store = await open({ expiresAfterSeconds: 100 });
    });

    describe('update', () => {
      it('creates a record, and a read sees it', async () => {
        expect(await store.read('a')).toEqual({ state: 'unknown' });
        expect(await store.update('a', { concerns: { security: 'high' } })).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
      });

      it('creates a record of nothing, too', async () => {
        expect(await store.update('a', {})).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: {} });
      });

      it('sets the given fields and leaves the others', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await store.update('a', { listChanged: ['tools'] });
        expect(await store.read('a')).toEqual({
          state: 'live',
          record: { concerns: { security: 'high' }, listChanged: ['tools'] },
        });
        await store.update('a', { listChanged: [] });
        expect(await store.read('a')).toEqual({
          state: 'live',
          record: { concerns: { security: 'high' }, listChanged: [] },
        });
      });

      it('replaces a field as a whole: concerns that are no longer asked for are gone', async () => {
        await store.update('a', { concerns: { security: 'high', cost: 'minimal' } });
        await store.update('a', { concerns: { cost: 'high' } });
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { cost: 'high' } } });
        await store.update('a', { concerns: {} });
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: {} } });
      });

      it('wins over earlier ones', async () => {
        for (const security of ['low', 'medium', 'high']) await store.update('a', { concerns: { security } });
        expect(await store.read('a')).toMatchObject({ record: { concerns: { security: 'high' } } });
      });

      it('of different fields at the same time loses none', async () => {
        await Promise.all([
          store.update('a', { concerns: { security: 'high' } }),
          store.update('a', { listChanged: ['tools', 'prompts'] }),
        ]);
        expect(await store.read('a')).toEqual({
          state: 'live',
          record: { concerns: { security: 'high' }, listChanged: ['tools', 'prompts'] },
        });
      });

      it('keeps every value that JSON has', async () => {
        const concerns = {
          none: null,
          price: 2.5,
          zero: 0,
          negative: -1,
          topic: ['charts', 'maps'],
          word: 'Grüße 🔐',
          'with space': '',
          constructor: 'x',
        };
        await store.update('a', { concerns });
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns } });
      });

      it('is not changed by what its caller does to the object later', async () => {
        const concerns: Record<string, unknown> = { security: 'high' };
        const change = { concerns, listChanged: ['tools'] };
        await store.update('a', change);
        change.listChanged = [];
        expect(await store.read('a')).toMatchObject({ record: { listChanged: ['tools'] } });
      });
    });

    describe('ids', () => {
      it('do not mix', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await store.update('b', { concerns: { security: 'low' } });
        await store.end('b');
        expect(await store.read('a')).toMatchObject({ record: { concerns: { security: 'high' } } });
        expect(await store.read('A')).toEqual({ state: 'unknown' });
        expect(await store.read('a ')).toEqual({ state: 'unknown' });
      });

      it.each(['__proto__', 'constructor', 'toString', 'a'.repeat(500), '🔐'])('may be %s', async (id) => {
        expect(await store.read(id)).toEqual({ state: 'unknown' });
        await store.update(id, { listChanged: ['tools'] });
        expect(await store.read(id)).toEqual({ state: 'live', record: { listChanged: ['tools'] } });
      });
    });

    describe('end', () => {
      it('leaves a mark, and an update under it changes nothing and says so', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await store.end('a');
        expect(await store.read('a')).toEqual({ state: 'ended' });
        expect(await store.update('a', { concerns: { security: 'low' } })).toBe('ended');
        expect(await store.read('a')).toEqual({ state: 'ended' });
      });

      it('marks a session that was never seen', async () => {
        await store.end('a');
        expect(await store.read('a')).toEqual({ state: 'ended' });
        expect(await store.update('a', {})).toBe('ended');
      });

      it('can be said twice', async () => {
        await store.end('a');
        await store.end('a');
        expect(await store.read('a')).toEqual({ state: 'ended' });
      });

      it('wins over updates that are under way', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await Promise.all([
          store.update('a', { concerns: { security: 'low' } }),
          store.end('a'),
          store.update('a', { listChanged: ['tools'] }),
        ]);
        expect(await store.read('a')).toEqual({ state: 'ended' });
      });

      it('is forgotten after a while; then the id is one that was never seen', async () => {
        await store.end('a');
        await pass(99);
        expect(await store.read('a')).toEqual({ state: 'ended' });
        await pass(102);
        expect(await store.read('a')).toEqual({ state: 'unknown' });
        expect(await store.update('a', { concerns: { security: 'low' } })).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { security: 'low' } } });
      });
    });

    describe('expiry', () => {
      it('takes a record that nobody used', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await pass(99);
        await store.update('b', {});
        await pass(2);
        expect(await store.read('a')).toEqual({ state: 'unknown' });
        expect(await store.read('b')).toEqual({ state: 'live', record: {} });
      });

      it('leaves nothing behind for the next update', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await pass(101);
        expect(await store.update('a', { listChanged: ['tools'] })).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: { listChanged: ['tools'] } });
      });

      // Three quarters: a store may save writes and prolong a record only when a part of its time is over.
      it('begins anew with each read', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        for (let reads = 0; reads < 4; reads++) {
          await pass(75);
          expect(await store.read('a')).toEqual({
            state: 'live',
            record: { concerns: { security: 'high' } },
          });
        }
        await pass(101);
        expect(await store.read('a')).toEqual({ state: 'unknown' });
      });

      it('begins anew with each update', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        for (let updates = 0; updates < 4; updates++) {
          await pass(75);
          await store.update('a', { listChanged: [String(updates)] });
        }
        await pass(75);
        expect(await store.read('a')).toEqual({
          state: 'live',
          record: { concerns: { security: 'high' }, listChanged: ['3'] },
        });
      });
    });
  });
}
