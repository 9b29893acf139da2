import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/core/engine/policy.js';
import { type CursorTarget, isSealed, openCursor, sealCursor } from '../../src/core/gate/lists/cursor.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { Harness, LIST_KEYS, policyOf } from './gate-harness.js';

/** A list with more pages is not cached. */
const PAGES = 130;
const POLICY = `
concerns: { level: { values: [low, high] } }
patterns:
  tools: { "l*": { level: low }, "h*": { level: high } }
  resources: { "l*": { level: low }, "h*": { level: high } }
settings: { enforcement: enforce }
`;
const policy = policyOf(POLICY);

interface Item {
  readonly name: string;
  readonly uri: string;
}

/** Its cursors contain the last name of the page before, as with many servers. */
const items: readonly Item[] = Array.from({ length: PAGES * 3 }, (_, index) => {
  const name = `${'lhn'.charAt((index * index) % 3)}${index}${index % 7 === 0 ? '-é' : ''}`;
  return { name, uri: `${name}://x` };
});

function longServer(given: Policy = policy): Harness {
  const harness = new Harness(given);
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const after = message.params?.cursor;
    const start = after === undefined ? 0 : items.findIndex(({ name }) => after === `after:${name}`) + 1;
    const page = items.slice(start, start + 3);
    const last = page.at(-1);
    const more = start + 3 < items.length && last !== undefined ? { nextCursor: `after:${last.name}` } : {};
    const answer =
      after !== undefined && start === 0
        ? { error: { code: -32602, message: 'no such cursor' } }
        : { result: { [LIST_KEYS[message.method] ?? '']: page, ...more } };
    void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
  };
  return harness;
}

interface Page {
  readonly result?: { readonly [kind: string]: unknown; readonly nextCursor?: string };
  readonly error?: { readonly code: number; readonly message: string };
}

let ids = 0;
function ask(harness: Harness, params: object, method = 'tools/list'): Page {
  const id = ++ids;
  harness.request(id, method, params);
  const [answer] = harness.answers(id) as Page[];
  if (answer === undefined) throw new Error('The list was not answered.');
  return answer;
}

const withPreferences = (level: string | undefined) =>
  level === undefined ? {} : { _meta: { [EXTENSION_ID]: { concerns: { level } } } };

/** @param at returns the server that answers a page: any process may receive the request */
function walk(at: (page: number) => Harness, params: object, method: string) {
  const names: string[] = [];
  const cursors: string[] = [];
  for (let cursor: string | undefined, page = 0; page <= PAGES; page++) {
    const { result } = ask(at(page), cursor === undefined ? params : { ...params, cursor }, method);
    names.push(...((result?.[LIST_KEYS[method] ?? ''] as Item[] | undefined)?.map(({ name }) => name) ?? []));
    cursor = result?.nextCursor;
    if (cursor === undefined) return { names, cursors };
    cursors.push(cursor);
  }
  throw new Error('The pages do not end.');
}

const keeps = (level: string | undefined, pattern: RegExp) => (name: string) =>
  pattern.test(name) && (level === undefined || !name.startsWith(level === 'high' ? 'l' : 'h'));

describe('a list of more than a hundred pages', () => {
  it.each([
    ['tools/list', 'high', undefined, /./],
    ['tools/list', 'low', undefined, /./],
    ['tools/list', 'high', { namePatterns: ['*1*', 'n?'] }, /1|^n.$/],
    ['tools/list', undefined, { namePatterns: ['l*'] }, /^l/],
    ['resources/list', 'high', { uriPatterns: ['*9*'], namePatterns: ['h*'] }, /^h.*9/],
  ] as const)(
    '%s under %s and %j has the same items as the unpaged list',
    (method, level, filter, pattern) => {
      const harness = longServer();
      const params = { ...withPreferences(level), ...(filter === undefined ? {} : { filter }) };
      const { names, cursors } = walk(() => harness, params, method);
      expect(names).toEqual(items.map(({ name }) => name).filter(keeps(level, pattern)));
      expect(names.length).toBeGreaterThan(10);
      expect(cursors).toHaveLength(PAGES - 1);
    },
  );

  it('has the same pages in every process, byte for byte, and is walked only once', () => {
    const harness = longServer();
    const one = walk(() => harness, withPreferences('high'), 'tools/list');
    const others: Harness[] = [];
    const many = walk((page) => (others[page] ??= longServer()), withPreferences('high'), 'tools/list');
    expect(many).toEqual(one);
    expect(others[0]?.toServer.length).toBeGreaterThan(100);
    expect(others.slice(1).map(({ toServer }) => toServer.length)).toEqual(others.slice(1).map(() => 1));
  });

  it("reveals nothing of the server's cursors", () => {
    const harness = longServer();
    const { cursors } = walk(() => harness, withPreferences('high'), 'tools/list');
    for (const cursor of cursors) {
      expect(encodeURIComponent(cursor)).toBe(cursor);
      for (const part of cursor.split('.')) {
        expect(part).not.toContain('after');
        expect(Buffer.from(part, 'base64url').toString('latin1')).not.toContain('after');
      }
    }
    // Equal cursors are sealed to equal texts, which reveals only that a page is the same.
    expect(new Set(cursors).size).toBe(cursors.length);
  });

  it('passes unchanged if nothing can be hidden', () => {
    const harness = longServer();
    const { result } = ask(harness, {});
    expect(result).toEqual({ tools: items.slice(0, 3), nextCursor: `after:${items[2]?.name}` });
    const next = ask(harness, { cursor: result?.nextCursor });
    expect(next.result?.tools).toEqual(items.slice(3, 6));
  });
});

describe('a cursor of such a list', () => {
  const harness = longServer();
  const params = { ...withPreferences('high'), filter: { namePatterns: ['*1*'] } };
  const cursor = ask(harness, params).result?.nextCursor ?? '';

  it.each<[string, object, RegExp]>([
    ['other preferences', { ...params, ...withPreferences('low') }, /^The list changed/],
    ['no preferences', { filter: params.filter, _meta: {} }, /^The list changed/],
    ['no preferences, and no filter', { _meta: {} }, /^The list changed/],
    [
      'another filter',
      { ...params, filter: { namePatterns: ['*2*'] } },
      /^Filter parameters must not change/,
    ],
    ['no filter', withPreferences('high'), /^Filter parameters must not change/],
  ])('is refused under %s', (_what, other, message) => {
    for (const at of [harness, longServer()]) {
      const { error } = ask(at, { ...other, cursor });
      expect(error).toEqual({ code: -32602, message: expect.stringMatching(message) });
    }
  });

  it('is refused for another list, and under another policy', () => {
    expect(ask(harness, { ...params, cursor }, 'resources/list').error?.code).toBe(-32602);
    const other = longServer(policyOf(POLICY.replace('"l*": { level: low }', '"m*": { level: low }')));
    expect(ask(other, { ...params, cursor }).error?.code).toBe(-32602);
  });

  it('is refused if any character changed', () => {
    const before = harness.toServer.length;
    for (let at = 0; at < cursor.length; at++) {
      const other = cursor.charAt(at) === 'A' ? 'B' : 'A';
      const damaged = `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`;
      expect(ask(harness, { ...params, cursor: damaged }).error?.code).toBe(-32602);
    }
    for (const length of [1, 20, 60, cursor.length - 1]) {
      expect(ask(harness, { ...params, cursor: cursor.slice(0, length) }).error?.code).toBe(-32602);
    }
    expect(ask(harness, { ...params, cursor: `${cursor}AAAA` }).error?.code).toBe(-32602);
    expect(harness.toServer.length).toBe(before);
  });

  it('made by the server itself is refused if something is hidden', () => {
    expect(ask(harness, { ...params, cursor: `after:${items[2]?.name}` }).error?.code).toBe(-32602);
  });

  it('that the server refuses is answered by the server', () => {
    const gone = new Harness(policy);
    gone.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      void gone.server({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'gone' } });
    };
    expect(ask(gone, { ...params, cursor }).error).toEqual({ code: -32602, message: 'gone' });
  });
});

describe('a sealed cursor', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('', '\ud800', '\udfff', '"', '.'),
  );
  const targets = fc.record({ catalog: texts, policy: texts, configuration: texts, filter: texts });

  it('gives the original cursor for its own target only', () => {
    fc.assert(
      fc.property(targets, targets, texts, (target: CursorTarget, other: CursorTarget, cursor) => {
        const sealed = sealCursor(target, cursor);
        expect(isSealed(sealed)).toBe(true);
        expect(openCursor(sealed, target)).toEqual({ ok: true, cursor });
        const same = JSON.stringify(target) === JSON.stringify(other);
        expect(openCursor(sealed, other).ok).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });
});
