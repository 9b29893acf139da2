import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { HandlerError } from '../../src/http/callers/principal.js';
import { createHandler } from '../../src/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/http/sdk-v2.js';
import { policyFromText } from '../policy-text.js';

const policy = policyFromText('version: 1\nconcerns: { level: { values: [low, high] } }\n');
const server = () => new McpServer({ name: 'vault', version: '1.0.0' });

describe.each([
  ['SDK v1', createHandler],
  ['SDK v2', createHandlerV2],
])('the handler of %s', (_sdk, create) => {
  it.each<[string, object, string]>([
    [
      'the path of a policy',
      { server, policy: 'policy.yaml' },
      'must be a policy, but is the text "policy.yaml"',
    ],
    ['parsed YAML', { server, policy: { version: 1 } }, 'must be a policy, but is other data'],
    ['no policy', { server }, 'The option "policy" is missing.'],
    [
      'a server instead of a function',
      { server: server(), policy },
      'must be a function that makes a new server',
    ],
    ['preferences per caller without a store', { server, policy, preferences: 'principal' }, 'needs a store'],
  ])('is not made for %s', (_what, options, problem) => {
    const make = () => Reflect.apply(create, undefined, [options]);
    expect(make).toThrow(HandlerError);
    expect(make).toThrow(problem);
  });
});
