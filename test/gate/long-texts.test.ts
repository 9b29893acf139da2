import { expect, it } from 'vitest';
import { MAX_URI } from '../../src/core/gate/enforce/visibility.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { Harness, policyOf } from './gate-harness.js';

const policy = policyOf(`
concerns:
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
  effect: { values: [read, write], match: at-most, model: free }
  topic: { values: [a, b, c], multiple: true, model: free }
primitives:
  tools: { secret: { tier: pro }, issue: { effect: read }, "issue(action=delete)": { effect: write } }
  prompts: { secret: { tier: pro } }
  resources: { "r://secret": { tier: pro } }
  resourceTemplates: { "t://{id}": { tier: pro }, "f://{+path}": { topic: b } }
patterns:
  tools: { "sec*": { tier: pro }, "*_admin_*": { tier: pro } }
  resources: { "x://*/y/*": { tier: pro } }
settings: { enforcement: enforce }
`);

const ISSUE = {
  name: 'issue',
  inputSchema: {
    type: 'object',
    properties: { action: { enum: ['list', 'delete'] }, text: { type: 'string' } },
  },
};
const LISTS = {
  'tools/list': [{ name: 'secret' }, { name: 'open' }, ISSUE],
  'prompts/list': [{ name: 'secret' }, { name: 'open' }],
  'resources/list': [{ uri: 'r://secret', name: 's' }],
  'resources/templates/list': [
    { uriTemplate: 't://{id}', name: 't' },
    { uriTemplate: 'f://{+path}', name: 'f' },
  ],
};

/** Longer than what any limit of a name accepts, and short enough for a test. */
const LENGTH = 4 * MAX_URI;

/** Parts that texts are made of. Each is expensive for some search, encoding or split. */
const PARTS = [
  'a',
  'sec',
  '%41?#a',
  '../',
  '\t',
  '{',
  '*',
  '"\\',
  'a,',
  'a_admin_',
  'a/y/',
  'topic:a&',
  ' a',
  '\ud800',
];
const STARTS = ['', 'FILE:///'];

const call = (name: string, given: object) => ['tools/call', { name, arguments: given }] as const;
const complete = (ref: object, value: string, completed?: object) =>
  [
    'completion/complete',
    { ref, argument: { name: 'id', value }, context: { arguments: completed } },
  ] as const;

/** Where a host can send a text. */
const REQUESTS: Readonly<Record<string, (text: string) => readonly [method: string, params: object]>> = {
  'the name of a tool': (text) => call(text, {}),
  'an argument that decides': (text) => call('issue', { action: text }),
  'another argument': (text) => call('issue', { action: 'list', text }),
  'the name of an argument': (text) => call('issue', { action: 'list', [text]: 1 }),
  'the name of a prompt': (text) => ['prompts/get', { name: text }],
  'an argument of a prompt': (text) => ['prompts/get', { name: 'open', arguments: { text } }],
  'a URI to read': (text) => ['resources/read', { uri: text }],
  'a URI to subscribe to': (text) => ['resources/subscribe', { uri: text }],
  'the prompt of a completion': (text) => complete({ type: 'ref/prompt', name: text }, 'a'),
  'the template of a completion': (text) => complete({ type: 'ref/resource', uri: text }, 'a'),
  'the value of a completion': (text) => complete({ type: 'ref/resource', uri: 't://{id}' }, text),
  'a completed argument': (text) =>
    complete({ type: 'ref/resource', uri: 'f://{+path}' }, 'a', { path: text }),
  'what a model looks for': (text) => call('concerns', { find: text }),
  'what a model shows': (text) => call('concerns', { show: [text] }),
  'what a model prefers': (text) => call('concerns', { topic: [text] }),
  'a preference': (text) => ['updateConcerns', { concerns: { topic: [text] } }],
  'the name of a preference': (text) => ['updateConcerns', { concerns: { [text]: 1 } }],
  'a preference of one request': (text) => [
    'tools/list',
    { _meta: { [EXTENSION_ID]: { concerns: { topic: [text] } } } },
  ],
  'a pattern of a list filter': (text) => ['tools/list', { filter: { namePatterns: [text] } }],
  'a cursor': (text) => ['tools/list', { cursor: text }],
  'the id of a task': (text) => ['tasks/get', { taskId: text }],
  'a log level': (text) => ['logging/setLevel', { level: text }],
  'a method': (text) => [text, {}],
};

const SENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } };

/** What a host can send before anything else. */
const FIRST: Readonly<Record<string, (text: string) => object>> = {
  'the name of a client': (text) => ({ ...SENT, clientInfo: { name: text, title: text, version: text } }),
  'a protocol version': (text) => ({ ...SENT, protocolVersion: text }),
  'an offered preference': (text) => ({
    ...SENT,
    capabilities: { extensions: { [EXTENSION_ID]: { concerns: { topic: text, [text]: text } } } },
  }),
};

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns what all texts cost in one place, as a multiple of what their JSON costs to write and read. */
function costOf(messageOf: (text: string) => readonly [method: string, params: object]): number {
  let [gate, json] = [0, 0];
  for (const start of STARTS) {
    for (const part of PARTS) {
      const [method, params] = messageOf(start + part.repeat(LENGTH / part.length));
      const harness = new Harness(policy).serve(LISTS);
      if (method !== 'initialize') harness.request(0, 'initialize', SENT);
      gate += cpuMs(() => harness.request(1, method, params));
      json += cpuMs(() => JSON.parse(JSON.stringify({ method, params })));
    }
  }
  return gate / json;
}

it.each(Object.entries(REQUESTS))(
  '%s that is very long costs about what its JSON costs',
  (_place, messageOf) => {
    expect(costOf(messageOf)).toBeLessThan(3);
  },
);

it.each(Object.entries(FIRST))('%s that is very long costs about what its JSON costs', (_place, paramsOf) => {
  expect(costOf((text) => ['initialize', paramsOf(text)])).toBeLessThan(3);
});
