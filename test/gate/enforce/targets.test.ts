import { describe, expect, it } from 'vitest';
import { KINDS_OF, targetsOf } from '../../../src/gate/enforce/targets.js';

const named = (method: string, params?: Record<string, unknown>) =>
  targetsOf({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
const plain = (method: string, params?: Record<string, unknown>) =>
  named(method, params).map(({ type, name }) => ({ type, name }));
const listen = (resourceSubscriptions: unknown) => ({ notifications: { resourceSubscriptions } });

describe('the primitives that a request names', () => {
  it.each<[string, Record<string, unknown>, object[]]>([
    ['tools/call', { name: 'a', uri: 'r://a' }, [{ type: 'tool', name: 'a' }]],
    ['prompts/get', { name: 'a' }, [{ type: 'prompt', name: 'a' }]],
    ['resources/read', { uri: 'r://a', name: 'a' }, [{ type: 'uri', name: 'r://a' }]],
    ['resources/subscribe', { uri: 'r://a' }, [{ type: 'uri', name: 'r://a' }]],
    ['resources/unsubscribe', { uri: 'r://a' }, [{ type: 'uri', name: 'r://a' }]],
    ['skills/get', { uri: 'r://a' }, [{ type: 'uri', name: 'r://a' }]],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' } }, [{ type: 'prompt', name: 'a' }]],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'r://{a}' } },
      [{ type: 'uri', name: 'r://{a}' }],
    ],
    ['completion/complete', { ref: { type: 'ref/tool', name: 'a' } }, []],
    [
      'subscriptions/listen',
      listen(['r://a', 7, 'r://b']),
      [
        { type: 'uri', name: 'r://a' },
        { type: 'uri', name: 'r://b' },
      ],
    ],
    ['subscriptions/listen', listen([]), []],
    ['subscriptions/listen', listen('r://a'), []],
    ['tools/call', { name: '' }, [{ type: 'tool', name: '' }]],
    ['tools/call', { name: ['a'] }, []],
    ['tools/call', {}, []],
    ['tools/list', { name: 'a' }, []],
    ['vendor/method', { name: 'a' }, []],
  ])('%s %j: %j', (method, params, targets) => {
    expect(plain(method, params)).toEqual(targets);
  });

  it('are none without params', () => {
    expect(plain('tools/call')).toEqual([]);
  });
});

describe('another name in the place of a target', () => {
  const replaced = (method: string, params: Record<string, unknown>, index = 0) =>
    named(method, params)[index]?.withName(params, 'x');

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

  it('is one item of a list of subscriptions', () => {
    const params = { ...listen(['r://a', 7, 'r://b']), _meta: {} };
    expect(replaced('subscriptions/listen', params, 0)).toEqual({ ...listen(['x', 7, 'r://b']), _meta: {} });
    expect(replaced('subscriptions/listen', params, 1)).toEqual({ ...listen(['r://a', 7, 'x']), _meta: {} });
  });

  it('needs nothing that was there', () => {
    expect(named('tools/call', { name: 'a' })[0]?.withName({}, 'x')).toEqual({ name: 'x' });
  });
});

it('knows which lists decide about a target', () => {
  expect(KINDS_OF).toEqual({
    tool: ['tools'],
    prompt: ['prompts'],
    uri: ['resources', 'resourceTemplates'],
  });
});
