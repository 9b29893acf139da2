import { describe, expect, it } from 'vitest';
import { entriesOf, isAllowed, malformedName, nameIn } from '../../../src/core/gate/table/routes.js';
import {
  loggable,
  passesNotification,
  passesServerRequest,
  refusalOf,
  routeOf,
} from '../../../src/core/gate/table/routing.js';
import { modern } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { a: { values: [b, c] } }\n';
const { settings } = policyOf(POLICY);
const vendor = policyOf(`${POLICY}settings: { methods: [status, "vendor/*"] }\n`).settings;
const every = policyOf(`${POLICY}settings: { methods: ["*"] }\n`).settings;

describe('the route of a method', () => {
  it.each([
    ['ping', settings, 'pass'],
    ['tools/call', every, 'access'],
    ['vendor/x', settings, 'unknown'],
    ['vendor/x', vendor, 'pass'],
    ['status', vendor, 'pass'],
    ['statuses', vendor, 'unknown'],
    ['vendor', vendor, 'unknown'],
    ['constructor', settings, 'unknown'],
  ] as const)('%s', (method, given, to) => {
    expect(routeOf(given, method).to).toBe(to);
    // The second time, the patterns are known.
    expect(routeOf(given, method).to).toBe(to);
  });

  it('is allowed by the settings alone', () => {
    expect(isAllowed(settings, 'vendor/x')).toBe(false);
    expect(isAllowed(vendor, 'vendor/x')).toBe(true);
    expect(isAllowed(vendor, 'tools/call')).toBe(false);
  });
});

describe('the refusal of a request', () => {
  const NOT_FOUND = { code: -32601, message: 'Method not found' };
  const wrong = (message: string) => ({ code: -32602, message });

  it.each<[string, Record<string, unknown> | undefined, object | undefined]>([
    ['vendor/x', {}, NOT_FOUND],
    ['subscriptions/listen', {}, undefined],
    ['ping', {}, undefined],
    ['tools/list', { name: 7 }, undefined],
    ['tools/call', { name: 'a' }, undefined],
    ['tools/call', { name: 7 }, wrong('params.name must be a string.')],
    ['tools/call', { name: 7, _meta: modern() }, wrong('params.name must be a string.')],
    ['resources/read', undefined, wrong('params.uri must be a string.')],
    ['resources/subscribe', { uri: 7 }, wrong('params.uri must be a string.')],
    ['resources/subscribe', { uri: 7, _meta: modern() }, NOT_FOUND],
    ['resources/subscribe', { uri: 'r://a', _meta: modern() }, undefined],
    ['resources/unsubscribe', { _meta: modern() }, NOT_FOUND],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' } }, undefined],
    ['completion/complete', { ref: { type: 'ref/prompt' } }, wrong('params.ref.name must be a string.')],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'r://a' } }, undefined],
    ['completion/complete', { ref: { type: 'ref/resource' } }, wrong('params.ref.uri must be a string.')],
    [
      'completion/complete',
      { ref: { type: 'ref/tool', name: 'a' } },
      wrong('params.ref.type must be "ref/prompt" or "ref/resource".'),
    ],
  ])('%s with params %j', (method, params, refusal) => {
    const request = { jsonrpc: '2.0', id: 1, method, ...(params && { params }) } as const;
    expect(refusalOf(request, routeOf(settings, method))).toEqual(refusal);
  });

  it('is not one of a malformed name for other routes', () => {
    expect(malformedName({ to: 'task' }, {})).toBeUndefined();
    expect(malformedName({ to: 'listen' }, {})).toBeUndefined();
  });
});

describe('the name in the params of a request', () => {
  it.each<[string, unknown, object | undefined]>([
    ['tools/call', {}, { type: 'tool', path: ['name'] }],
    ['prompts/get', {}, { type: 'prompt', path: ['name'] }],
    ['resources/read', {}, { type: 'uri', path: ['uri'] }],
    ['skills/get', {}, { type: 'uri', path: ['uri'] }],
    ['completion/complete', { ref: { type: 'ref/prompt' } }, { type: 'prompt', path: ['ref', 'name'] }],
    ['completion/complete', { ref: { type: 'ref/resource' } }, { type: 'uri', path: ['ref', 'uri'] }],
    ['completion/complete', {}, undefined],
    ['subscriptions/listen', { notifications: { resourceSubscriptions: ['r://a'] } }, undefined],
    ['tools/list', {}, undefined],
    ['skills/list', {}, undefined],
    ['vendor/x', { name: 'a' }, undefined],
  ])('%s with %j', (method, params, name) => {
    const { type, path } = nameIn(method, params) ?? {};
    expect(type && { type, path }).toEqual(name);
  });

  it.each([
    ['skills/list', [['skills'], ['skills', '*', 'resources']]],
    ['skills/get', [['skill', 'resources']]],
    ['resources/directory/read', [['resources']]],
    ['tools/call', []],
    ['completion/complete', []],
    ['ping', []],
    ['vendor/x', []],
  ])('and the entries in its answer: %s', (method, entries) => {
    expect(entriesOf(method)).toEqual(entries);
  });
});

describe('what passes under enforce', () => {
  it.each([
    ['client', 'notifications/progress', settings, true],
    ['server', 'notifications/progress', settings, true],
    ['client', 'notifications/message', settings, false],
    ['server', 'notifications/message', settings, true],
    ['client', 'notifications/vendor', settings, false],
    ['client', 'notifications/vendor', every, true],
    ['client', 'vendor/x', vendor, true],
    ['server', 'vendor/x', vendor, true],
    ['client', 'tools/call', every, false],
    ['server', 'tools/call', every, false],
  ] as const)('of the %s, as a notification: %s', (sender, method, given, passes) => {
    expect(passesNotification(given, sender, method)).toBe(passes);
  });

  it.each([
    ['ping', settings, true],
    ['elicitation/create', settings, true],
    ['tools/call', settings, false],
    ['vendor/x', settings, false],
    ['vendor/x', vendor, true],
    ['tools/call', every, true],
  ] as const)('of the server, as a request: %s', (method, given, passes) => {
    expect(passesServerRequest(given, method)).toBe(passes);
  });
});

describe('a method in a log', () => {
  it.each([
    ['tools/call', 'tools/call'],
    ['$/x.y-z_1', '$/x.y-z_1'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), 'other'],
    ['', 'other'],
    ['a b', 'other'],
    ['a\n', 'other'],
    ['\na', 'other'],
    ['ä', 'other'],
  ])('%j is %j', (method, logged) => {
    expect(loggable(method)).toBe(logged);
  });
});
