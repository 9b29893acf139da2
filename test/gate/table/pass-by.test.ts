import { describe, expect, it } from 'vitest';
import { panelMode } from '../../../src/core/gate/table/routes.js';
import { panelRouteOf, passesBy, reportOfPassing } from '../../../src/core/gate/table/routing.js';
import { modern } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { a: { values: [b, c] } }\n';
const policyWith = (settings: string) => policyOf(`${POLICY}settings: { ${settings} }\n`);
const settingsWith = (settings: string) => policyWith(settings).settings;
const advisory = settingsWith('enforcement: advisory');
const shadow = settingsWith('enforcement: shadow');
const panel = settingsWith('panel: on');
const readOnly = settingsWith('panel: read-only');
const shadowPanel = settingsWith('panel: on, enforcement: shadow');

const request = (method: string, params?: Record<string, unknown>) =>
  ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) }) as const;
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('a request passes by', () => {
  const call = request('tools/call', { name: 'a' });

  it.each([
    ['a call', call, true, true],
    ['a call without a name', request('tools/call'), true, true],
    ['a call of the own tool', request('tools/call', { name: 'concerns' }), true, false],
    ['a call that asks for a task', request('tools/call', { name: 'a', task: {} }), false, false],
    ['a call of no name that asks for a task', request('tools/call', { task: null }), false, false],
    [
      'a call of a client with tasks',
      request('tools/call', { name: 'a', _meta: modern(TASKS) }),
      false,
      false,
    ],
    ['a call of a modern client', request('tools/call', { name: 'a', _meta: modern() }), true, true],
    ['another request with a task', request('prompts/get', { name: 'a', task: {} }), true, true],
    ['a list', request('tools/list'), false, false],
    ['a list of tasks', request('tasks/list'), false, false],
    ['a request of a task', request('tasks/get', { taskId: 't' }), false, false],
    ['a ping', request('ping'), true, true],
    ['an unknown method', request('vendor/x'), true, true],
    ['a subscription', request('subscriptions/listen'), false, false],
    ['a list of skills', request('skills/list'), true, true],
  ])('under advisory, without and with a panel: %s', (_what, message, passes, withPanel) => {
    expect(passesBy(policyWith('enforcement: advisory'), message)).toBe(passes);
    expect(passesBy(policyWith('panel: on'), message)).toBe(withPanel);
    expect(passesBy(policyWith('enforcement: enforce'), message)).toBe(false);
  });

  it.each([
    ['a call', call, false],
    ['a call without a name', request('tools/call'), true],
    ['a list of skills', request('skills/list'), true],
    ['an unknown method', request('vendor/x'), true],
    ['a list', request('tools/list'), false],
  ])('under shadow, and with stable lists: %s', (_what, message, passes) => {
    expect(passesBy(policyWith('enforcement: shadow'), message)).toBe(passes);
    expect(passesBy(policyWith('lists: stable'), message)).toBe(passes);
  });

  it('only if it is a request', () => {
    const policy = policyWith('enforcement: advisory');
    expect(passesBy(policy, { jsonrpc: '2.0', method: 'ping' })).toBe(false);
    expect(passesBy(policy, { jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
  });
});

describe('the report of a request that passes by', () => {
  it.each([
    ['tools/call', undefined, shadow, 'tools/call'],
    ['tools/call', { name: 'a' }, shadow, undefined],
    ['vendor/x', undefined, shadow, 'vendor/x'],
    ['vendor x', undefined, shadow, 'other'],
    ['ping', undefined, shadow, undefined],
    ['tools/call', undefined, advisory, undefined],
    ['vendor/x', undefined, advisory, undefined],
  ])('%s with %j says what enforce would refuse', (method, params, settings, refused) => {
    expect(reportOfPassing(settings, request(method, params))).toStrictEqual({
      method: refused ?? method,
      era: 'legacy',
      ...(refused === undefined ? {} : { refused }),
    });
  });

  it('has the era', () => {
    expect(reportOfPassing(advisory, request('ping', { _meta: modern() }))).toEqual({
      method: 'ping',
      era: 'modern',
    });
  });
});

describe('the panel', () => {
  it.each([
    [advisory, 'off'],
    [shadow, 'off'],
    [panel, 'on'],
    [readOnly, 'read-only'],
    [shadowPanel, 'read-only'],
    [settingsWith('panel: on, enforcement: enforce'), 'on'],
    [settingsWith('panel: off'), 'off'],
  ])('has a mode', (settings, mode) => {
    expect(panelMode(settings)).toBe(mode);
  });

  it.each([
    ['tools/call', { name: 'concerns' }, 'tool'],
    ['tools/call', { name: 'concerns_read' }, 'pageTool'],
    ['tools/call', { name: 'concerns_update' }, 'pageTool'],
    ['tools/call', { name: 'concerns-safe' }, undefined],
    ['tools/call', { name: ['concerns'] }, undefined],
    ['tools/call', { uri: 'concerns' }, undefined],
    ['tools/call', undefined, undefined],
    ['prompts/get', { name: 'concerns' }, 'prompt'],
    ['prompts/get', { name: 'concerns-safe' }, 'prompt'],
    ['prompts/get', { name: 'concerns_read' }, undefined],
    ['prompts/get', { name: 'other-concerns-safe' }, undefined],
    ['resources/read', { uri: 'ui://concerns/panel.html' }, 'page'],
    ['resources/read', { uri: 'ui://concerns/other.html' }, 'page'],
    ['resources/subscribe', { uri: 'ui://concerns/panel.html' }, 'page'],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'ui://concerns/' } }, 'page'],
    ['subscriptions/listen', { notifications: { resourceSubscriptions: ['ui://concerns/'] } }, undefined],
  ])('has a route for %s with %j: %s', (method, params, part) => {
    const route = part === undefined ? undefined : { to: 'panel', part };
    expect(panelRouteOf(panel, request(method, params))).toEqual(route);
    expect(panelRouteOf(readOnly, request(method, params))).toEqual(route);
    expect(panelRouteOf(advisory, request(method, params))).toBeUndefined();
  });
});
