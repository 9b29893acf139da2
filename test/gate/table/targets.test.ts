import { describe, expect, it } from 'vitest';
import { KINDS_OF, targetOf, withName } from '../../../src/core/gate/table/routing.js';

const named = (method: string, params?: Record<string, unknown>) =>
  targetOf({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });

describe('the primitive that a request names', () => {
  it.each<[string, Record<string, unknown>, object | undefined]>([
    ['tools/call', { name: 'a', uri: 'r://a' }, { type: 'tool', name: 'a' }],
    ['prompts/get', { name: 'a' }, { type: 'prompt', name: 'a' }],
    ['resources/read', { uri: 'r://a', name: 'a' }, { type: 'uri', name: 'r://a' }],
    ['resources/subscribe', { uri: 'r://a' }, { type: 'uri', name: 'r://a' }],
    ['resources/unsubscribe', { uri: 'r://a' }, { type: 'uri', name: 'r://a' }],
    ['skills/get', { uri: 'r://a' }, { type: 'uri', name: 'r://a' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' } }, { type: 'prompt', name: 'a' }],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'r://{a}' } },
      { type: 'uri', name: 'r://{a}' },
    ],
    ['completion/complete', { ref: { type: 'ref/tool', name: 'a' } }, undefined],
    ['subscriptions/listen', { notifications: { resourceSubscriptions: ['r://a'] } }, undefined],
    ['tools/call', { name: '' }, { type: 'tool', name: '' }],
    ['tools/call', { name: ['a'] }, undefined],
    ['tools/call', {}, undefined],
    ['tools/list', { name: 'a' }, undefined],
    ['vendor/method', { name: 'a' }, undefined],
  ])('%s %j: %j', (method, params, target) => {
    if (target === undefined) expect(named(method, params)).toBeUndefined();
    else expect(named(method, params)).toMatchObject(target);
  });

  it('is none without params', () => {
    expect(named('tools/call')).toBeUndefined();
  });
});

describe('another name in the place of a target', () => {
  const replaced = (method: string, params: Record<string, unknown>, given = params) => {
    const target = named(method, params);
    return target === undefined ? undefined : withName(given, target, 'x');
  };

  it.each<[string, Record<string, unknown>, object]>([
    ['tools/call', { name: 'a', arguments: { name: 'a' } }, { name: 'x', arguments: { name: 'a' } }],
    ['resources/read', { uri: 'r://a', _meta: { b: 1 } }, { uri: 'x', _meta: { b: 1 } }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a' } },
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a' } },
    ],
  ])('%s', (method, params, expected) => {
    const before = structuredClone(params);
    expect(replaced(method, params)).toEqual(expected);
    expect(params).toEqual(before);
  });

  it('needs nothing that was there', () => {
    expect(replaced('tools/call', { name: 'a' }, {})).toEqual({ name: 'x' });
  });
});

it('knows which lists decide about a target', () => {
  expect(KINDS_OF).toEqual({
    tool: ['tools'],
    prompt: ['prompts'],
    uri: ['resources', 'resourceTemplates'],
  });
});
