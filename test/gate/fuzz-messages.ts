import fc from 'fast-check';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { LIST_KEYS } from './gate-harness.js';

const name = fc.constantFrom(
  'a',
  'b',
  'c',
  'x1',
  'r://a',
  '__proto__',
  'constructor',
  '',
  '\ud800',
  'security',
  'safe',
  'tier',
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 5e-324, 'high', 'docs'),
    name,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => JSON.parse(asObject(entries))),
  ),
})).value;

/** With `__proto__` as an own key, as in a parsed message. */
function asObject(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`;
}

const id = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('0', '1', 'x', '__proto__'));
const method = fc.constantFrom(
  ...Object.keys(LIST_KEYS),
  'initialize',
  'server/discover',
  'listConcerns',
  'updateConcerns',
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'ping',
  'nothing/at-all',
  'constructor',
);
const params = fc.oneof(
  json,
  fc.record(
    {
      _meta: fc.oneof(json, fc.record({ [EXTENSION_ID]: fc.record({ concerns: json }) })),
      concerns: json,
      cursor: json,
      filter: fc.oneof(json, fc.record({ namePatterns: json })),
      name,
      uri: name,
      ref: fc.oneof(
        json,
        fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource'), name, uri: name }),
      ),
      argument: json,
      task: json,
      requestId: id,
    },
    { requiredKeys: [] },
  ),
);
const fromClient = fc.oneof(
  { weight: 8, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id, method, params }) },
  {
    weight: 2,
    arbitrary: fc.record({
      jsonrpc: fc.constant('2.0'),
      method: fc.constantFrom('notifications/initialized', 'notifications/progress', 'x'),
      params,
    }),
  },
  { weight: 1, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id, result: json }) },
  { weight: 1, arbitrary: json },
);
const items = fc.array(fc.oneof(json, fc.record({ name, uri: name, _meta: json, annotations: json })), {
  maxLength: 5,
});
const result = fc.oneof(
  json.map((value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {})),
  fc.record(
    {
      tools: items,
      prompts: items,
      resources: items,
      resourceTemplates: items,
      tasks: items,
      nextCursor: json,
      _meta: json,
    },
    { requiredKeys: [] },
  ),
);
const unasked = fc.oneof(
  json,
  fc.record({ jsonrpc: fc.constant('2.0'), id, result }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    method: fc.constantFrom(
      'notifications/tools/list_changed',
      'notifications/resources/updated',
      'sampling/createMessage',
    ),
    params,
  }),
);

/** One message of the client, how the server answers it, and what the server sends by itself. */
export const step = fc.record({
  message: fromClient,
  reply: result,
  fails: fc.boolean(),
  late: fc.boolean(),
  unasked: fc.option(unasked),
});
