import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/session/store.js';

/** A session store to test. */
export interface StoreUnderTest {
  /** Returns an empty store whose records expire this long after their last use. */
  open(options: { readonly expiresAfterSeconds: number }): SessionStore | Promise<SessionStore>;
  /** Advances the clock of the opened stores. */
  advance(seconds: number): void | Promise<void>;
}

/** Tests the contract of `SessionStore`, which every implementation must satisfy. */
export function describeStore(name: string, { open, advance }: StoreUnderTest): void {
  describe(name, () => {
    let store: SessionStore;
    beforeEach(async () => {
      store = await open({ expiresAfterSeconds: 100 });
    });

    describe('update', () => {
      it('creates a record', async () => {
        expect(await store.read('a')).toEqual({ state: 'unknown' });
        expect(await store.update('a', { concerns: { security: 'high' } })).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
      });

      it('creates an empty record', async () => {
        expect(await store.update('a', {})).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: {} });
      });

      it('sets the given fields and keeps the others', async () => {
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

      it('replaces a whole field, so that old concerns are removed', async () => {
        await store.update('a', { concerns: { security: 'high', cost: 'minimal' } });
        await store.update('a', { concerns: { cost: 'high' } });
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { cost: 'high' } } });
        await store.update('a', { concerns: {} });
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: {} } });
      });

      it('overrides earlier updates', async () => {
        for (const security of ['low', 'medium', 'high']) await store.update('a', { concerns: { security } });
        expect(await store.read('a')).toMatchObject({ record: { concerns: { security: 'high' } } });
      });

      it('keeps concurrent updates of different fields', async () => {
        await Promise.all([
          store.update('a', { concerns: { security: 'high' } }),
          store.update('a', { listChanged: ['tools', 'prompts'] }),
        ]);
        expect(await store.read('a')).toEqual({
          state: 'live',
          record: { concerns: { security: 'high' }, listChanged: ['tools', 'prompts'] },
        });
      });

      it('keeps every JSON value', async () => {
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

      it("does not see later changes of the caller's object", async () => {
        const concerns: Record<string, unknown> = { security: 'high' };
        const change = { concerns, listChanged: ['tools'] };
        await store.update('a', change);
        change.listChanged = [];
        expect(await store.read('a')).toMatchObject({ record: { listChanged: ['tools'] } });
      });
    });

    describe('ids', () => {
      it('are distinct, also by case and spaces', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await store.update('b', { concerns: { security: 'low' } });
        await store.end('b');
        expect(await store.read('a')).toMatchObject({ record: { concerns: { security: 'high' } } });
        expect(await store.read('A')).toEqual({ state: 'unknown' });
        expect(await store.read('a ')).toEqual({ state: 'unknown' });
      });

      it.each(['__proto__', 'constructor', 'toString', 'a'.repeat(500), '🔐'])('can be %s', async (id) => {
        expect(await store.read(id)).toEqual({ state: 'unknown' });
        await store.update(id, { listChanged: ['tools'] });
        expect(await store.read(id)).toEqual({ state: 'live', record: { listChanged: ['tools'] } });
      });
    });

    describe('end', () => {
      it('prevents later updates', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await store.end('a');
        expect(await store.read('a')).toEqual({ state: 'ended' });
        expect(await store.update('a', { concerns: { security: 'low' } })).toBe('ended');
        expect(await store.read('a')).toEqual({ state: 'ended' });
      });

      it('prevents later updates of an unknown session', async () => {
        await store.end('a');
        expect(await store.read('a')).toEqual({ state: 'ended' });
        expect(await store.update('a', {})).toBe('ended');
      });

      it('can be called twice', async () => {
        await store.end('a');
        await store.end('a');
        expect(await store.read('a')).toEqual({ state: 'ended' });
      });

      it('overrides concurrent updates', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await Promise.all([
          store.update('a', { concerns: { security: 'low' } }),
          store.end('a'),
          store.update('a', { listChanged: ['tools'] }),
        ]);
        expect(await store.read('a')).toEqual({ state: 'ended' });
      });

      it('is forgotten when the record expires', async () => {
        await store.end('a');
        await advance(99);
        expect(await store.read('a')).toEqual({ state: 'ended' });
        await advance(102);
        expect(await store.read('a')).toEqual({ state: 'unknown' });
        expect(await store.update('a', { concerns: { security: 'low' } })).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: { concerns: { security: 'low' } } });
      });
    });

    describe('expiry', () => {
      it('removes a record that was not used', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await advance(99);
        await store.update('b', {});
        await advance(2);
        expect(await store.read('a')).toEqual({ state: 'unknown' });
        expect(await store.read('b')).toEqual({ state: 'live', record: {} });
      });

      it('removes the fields of the record before the next update', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        await advance(101);
        expect(await store.update('a', { listChanged: ['tools'] })).toBe('stored');
        expect(await store.read('a')).toEqual({ state: 'live', record: { listChanged: ['tools'] } });
      });

      // 75 of 100 seconds: a store may save writes and extend a record only after some of its time has passed.
      it('is delayed by each read', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        for (let reads = 0; reads < 4; reads++) {
          await advance(75);
          expect(await store.read('a')).toEqual({
            state: 'live',
            record: { concerns: { security: 'high' } },
          });
        }
        await advance(101);
        expect(await store.read('a')).toEqual({ state: 'unknown' });
      });

      it('is delayed by each update', async () => {
        await store.update('a', { concerns: { security: 'high' } });
        for (let updates = 0; updates < 4; updates++) {
          await advance(75);
          await store.update('a', { listChanged: [String(updates)] });
        }
        await advance(75);
        expect(await store.read('a')).toEqual({
          state: 'live',
          record: { concerns: { security: 'high' }, listChanged: ['3'] },
        });
      });
    });
  });
}
