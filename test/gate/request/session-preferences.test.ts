import { describe, expect, it } from 'vitest';
import {
  keepClient,
  keptClient,
  placePreferences,
  readSession,
  type SessionPreferences,
  updateSession,
} from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { policyOf } from '../gate-harness.js';

const store = createMemoryStore();

describe('the place of preferences', () => {
  it.each<[string, Parameters<typeof placePreferences>, SessionPreferences]>([
    [
      'a session of HTTP, with a store',
      [store, { key: 's' }, true],
      { place: 'store', store, id: 's', known: undefined, sealed: undefined },
    ],
    [
      'another session, with a store',
      [store, { key: 's' }, false],
      { place: 'store', store, id: 's', known: undefined, sealed: undefined },
    ],
    ['HTTP without a session, with a store', [store, undefined, true], { place: 'none' }],
    [
      'stdio, with a store',
      [store, undefined, false],
      { place: 'connection', id: undefined, record: {}, sealed: undefined },
    ],
    [
      'a session of HTTP',
      [undefined, { key: 's' }, true],
      { place: 'connection', id: 's', record: {}, sealed: undefined },
    ],
    ['HTTP without a session', [undefined, undefined, true], { place: 'none' }],
    [
      'stdio',
      [undefined, undefined, false],
      { place: 'connection', id: undefined, record: {}, sealed: undefined },
    ],
  ])('of %s', (_what, given, place) => {
    expect(placePreferences(...given)).toStrictEqual(place);
  });
});

describe('what is kept for a session', () => {
  it('is in the connection', () => {
    const preferences: SessionPreferences = { place: 'connection', record: { concerns: { a: 1 } } };
    expect(readSession(preferences)).toEqual({ state: 'live', record: { concerns: { a: 1 } } });
    expect(updateSession(preferences, { acted: true })).toBe('stored');
    expect(updateSession(preferences, { concerns: { b: 2 } })).toBe('stored');
    expect(readSession(preferences)).toEqual({ state: 'live', record: { concerns: { b: 2 }, acted: true } });
  });

  it('is nowhere', () => {
    const preferences: SessionPreferences = { place: 'none' };
    expect(updateSession(preferences, { acted: true })).toBe('nowhere');
    expect(readSession(preferences)).toEqual({ state: 'live', record: {} });
  });

  it('is in the store', async () => {
    const preferences: SessionPreferences = { place: 'store', store, id: 'kept' };
    expect(await readSession(preferences)).toEqual({ state: 'unknown' });
    expect(await updateSession(preferences, { acted: true })).toBe('stored');
    expect(await readSession(preferences)).toEqual({ state: 'live', record: { acted: true } });
    await store.end('kept');
    expect(await updateSession(preferences, { acted: true })).toBe('ended');
  });
});

describe('what a session keeps of its client', () => {
  const POLICY = 'concerns: { a: { values: [b, c] } }\nrules:\n';
  const rule = (id: string, path: string) =>
    `  - { id: ${id}, hide: [tools], when: { "!!": { var: ${path} } } }\n`;
  const claims = policyOf(POLICY + rule('one', 'claims.team'));
  const roots = policyOf(POLICY + rule('one', 'client.capabilities.roots') + rule('two', 'claims.team'));
  const both = policyOf(
    POLICY + rule('one', 'client.capabilities.roots') + rule('two', 'client.capabilities.sampling'),
  );
  const paths = ['client.capabilities.roots'];

  it('is what rules read of its capabilities', () => {
    const sent = { roots: { listChanged: true }, sampling: {} };
    expect(keepClient(roots, { capabilities: sent, clientInfo: { name: 'a' } })).toEqual({
      clientCapabilities: { roots: {} },
      clientPaths: paths,
    });
    expect(keepClient(roots, undefined)).toEqual({ clientCapabilities: {}, clientPaths: paths });
    expect(keepClient(claims, { capabilities: sent })).toEqual({});
  });

  it.each([
    [
      'everything that the policy reads',
      roots,
      { clientCapabilities: { roots: {} }, clientPaths: paths },
      true,
    ],
    ['less than the policy reads', both, { clientCapabilities: { roots: {} }, clientPaths: paths }, false],
    ['all of them, without paths', both, { clientCapabilities: { roots: {} } }, true],
    ['none, and the policy reads some', roots, { clientCapabilities: { roots: {} }, clientPaths: [] }, false],
    ['none, and the policy reads none', claims, { clientCapabilities: { roots: {} }, clientPaths: [] }, true],
  ])('is known if it keeps %s', (_what, policy, record, isKnown) => {
    expect(keptClient(policy, record).capabilities).toEqual(isKnown ? { roots: {} } : undefined);
  });

  it('is not known if it keeps nothing', () => {
    expect(keptClient(roots, {}).capabilities).toBeUndefined();
  });
});
