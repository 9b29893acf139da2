import { describe, expect, it } from 'vitest';
import { isSealed, openCursor, sealCursor } from '../../../src/core/gate/lists/cursor.js';

const target = { catalog: 'tools', policy: 'p', configuration: 'c', filter: 'f' };
const sealed = sealCursor(target, 'page-2');
const [, list = '', filter = '', text = ''] = sealed.split('.');
const MALFORMED = { ok: false, reason: 'malformed' };

describe('a sealed cursor', () => {
  it('is opened for the list that it was made for', () => {
    expect(openCursor(sealed, target)).toEqual({ ok: true, cursor: 'page-2' });
    expect(sealCursor(target, 'page-2')).toBe(sealed);
    expect(sealCursor(target, 'page-3')).not.toBe(sealed);
  });

  it.each(['', '"', '\ud800', 'é😀', 'x'.repeat(10_000)])('can be any text', (cursor) => {
    expect(openCursor(sealCursor(target, cursor), target)).toEqual({ ok: true, cursor });
  });

  it.each([
    [{ ...target, catalog: 'prompts' }, 'changed'],
    [{ ...target, policy: 'q' }, 'changed'],
    [{ ...target, configuration: 'd' }, 'changed'],
    [{ ...target, filter: 'g' }, 'filter-changed'],
    [{ ...target, configuration: 'd', filter: 'g' }, 'changed'],
  ])('is not opened for %j: %s', (other, reason) => {
    expect(openCursor(sealed, other)).toEqual({ ok: false, reason });
  });

  it('is not opened if it was changed', () => {
    for (let at = 0; at < text.length; at++) {
      const other = text.charAt(at) === 'A' ? 'B' : 'A';
      const changed = `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
      expect(openCursor(`p.${list}.${filter}.${changed}`, target)).toEqual(MALFORMED);
    }
    expect(openCursor(`p.${list}.${filter}.${text}A`, target)).toEqual(MALFORMED);
    expect(openCursor(`p.${list}.${filter}.${text.slice(0, -4)}`, target)).toEqual(MALFORMED);
  });

  it('is bound to the policy by its key', () => {
    const other = sealCursor({ ...target, policy: 'q' }, 'page-2');
    const mixed = `p.${list}.${filter}.${other.split('.')[3]}`;
    expect(openCursor(mixed, target)).toEqual(MALFORMED);
  });
});

describe('a value', () => {
  const long = 'a'.repeat(38);
  const digest = 'a'.repeat(22);

  it.each<[unknown, boolean]>([
    [sealed, true],
    [`p.${digest}.${digest}.${long}`, true],
    [`p.${digest}.${digest}.${long.slice(1)}`, false],
    [`p.${digest}a.${digest}.${long}`, false],
    [`p.${digest}.${digest.slice(1)}.${long}`, false],
    [`q.${digest}.${digest}.${long}`, false],
    [`xp.${digest}.${digest}.${long}`, false],
    [`p.${digest}.${digest}.${long}\n`, false],
    [`p.${digest}.${digest}.${long}.a`, false],
    ['', false],
    [undefined, false],
    [7, false],
    [[sealed], false],
  ])('%j has the form of a sealed cursor: %j', (value, is) => {
    expect(isSealed(value)).toBe(is);
  });

  it.each(['', 'p', `p.${digest}.${digest}.short`])('that has another form is not opened: %j', (value) => {
    expect(openCursor(value, target)).toEqual(MALFORMED);
  });
});
