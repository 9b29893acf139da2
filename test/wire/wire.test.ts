import { describe, expect, it } from 'vitest';
import {
  answer,
  asLegacy,
  eraOf,
  failure,
  isNotification,
  listChangedMethod,
  type Message,
  type Request,
  read,
} from '../../src/core/wire/messages.js';
import { modern } from '../gate/exchange-of.js';

const request = (params?: Record<string, unknown>): Request => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'ping',
  ...(params && { params }),
});

describe('a message', () => {
  it.each<[Message, boolean]>([
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }, true],
    [request(), false],
    [{ jsonrpc: '2.0', id: 1, result: {} }, false],
    [failure(1, -1, 'no'), false],
  ])('%j is a notification: %j', (message, is) => {
    expect(isNotification(message)).toBe(is);
  });

  it('about a changed list is one of its capability', () => {
    expect(listChangedMethod('prompts')).toBe('notifications/prompts/list_changed');
  });
});

describe('the era of a request', () => {
  it.each<[Record<string, unknown> | undefined, 'legacy' | 'modern']>([
    [undefined, 'legacy'],
    [{}, 'legacy'],
    [{ _meta: {} }, 'legacy'],
    [{ _meta: modern() }, 'modern'],
    [{ _meta: { 'io.modelcontextprotocol/protocolVersion': '' } }, 'modern'],
    [{ _meta: { 'io.modelcontextprotocol/protocolVersion': 20260728 } }, 'legacy'],
    [{ _meta: [modern()] }, 'legacy'],
    [modern(), 'legacy'],
  ])('with params %j is %s', (params, era) => {
    expect(eraOf(request(params))).toBe(era);
  });

  it('is legacy without a request', () => {
    expect(eraOf(undefined)).toBe('legacy');
  });

  it('is taken away with its marker alone', () => {
    const given = request({ name: 'a', _meta: modern({ roots: {} }, { trace: 'x' }) });
    expect(asLegacy(given)).toEqual(
      request({
        name: 'a',
        _meta: { 'io.modelcontextprotocol/clientCapabilities': { roots: {} }, trace: 'x' },
      }),
    );
    const legacy = request({ _meta: { trace: 'x' } });
    expect(asLegacy(legacy)).toBe(legacy);
  });
});

describe('an answer of the gate', () => {
  it('is complete in the modern era', () => {
    expect(answer(request(), { a: 1 })).toEqual({ jsonrpc: '2.0', id: 7, result: { a: 1 } });
    const modernOne = request({ _meta: modern() });
    expect(answer(modernOne, { a: 1 }).result).toEqual({ resultType: 'complete', a: 1 });
    expect(answer(modernOne, { resultType: 'task' }).result).toEqual({ resultType: 'task' });
  });

  it('is an error, with data only if there is some', () => {
    expect(failure(7, -1, 'no')).toStrictEqual({ jsonrpc: '2.0', id: 7, error: { code: -1, message: 'no' } });
    expect(failure(null, -1, 'no', null)).toStrictEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -1, message: 'no', data: null },
    });
  });
});

describe('a property', () => {
  const inherited = Object.assign(Object.create({ a: 1 }), { own: { a: 2 } });

  it.each<[string, unknown, readonly string[], unknown]>([
    ['at no path', 'text', [], 'text'],
    ['of an object', { a: 1 }, ['a'], 1],
    ['in objects', { a: { b: { c: null } } }, ['a', 'b', 'c'], null],
    ['of a list', { a: ['x'] }, ['a', '0'], 'x'],
    ['that is missing', { a: 1 }, ['b'], undefined],
    ['below one that is missing', {}, ['a', 'b'], undefined],
    ['of null', { a: null }, ['a', 'b'], undefined],
    ['of a text', 'text', ['length'], undefined],
    ['of a function', () => 1, ['name'], undefined],
    ['that is inherited', inherited, ['a'], undefined],
    ['that is not inherited', inherited, ['own', 'a'], 2],
    ['of every object', {}, ['constructor'], undefined],
    ['of the prototype', {}, ['__proto__', 'toString'], undefined],
  ])('%s', (_what, value, path, found) => {
    expect(read(value, ...path)).toBe(found);
  });
});
