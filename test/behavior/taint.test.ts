import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { policyFile } from '../gate/gate-harness.js';
import { type Connection, MOUNTS, SENT, type SuitePolicy, TRANSLATED } from './mounts.js';

/** Hidden from every client by rules that read no host concern: no preferences can show them. */
const HIDDEN = ['logData', 'reviewAccess', 'vault://audit'];
const BODY = `
concerns: { security: { values: [low, high] } }
primitives: { tools: { encryptData: { security: high } } }
rules:
  - id: never
    hide: [tools, prompts, resources, resourceTemplates]
    when:
      or:
        - { in: [ { var: primitive.name }, [logData, reviewAccess, audit, audit-each] ] }
        - { in: [ { var: primitive.uri }, ["vault://audit", "vault://audit/{id}"] ] }
settings: { enforcement: enforce }
`;
const file = policyFile(BODY);
const policy: SuitePolicy = { file, policy: loadPolicy(file) };

const meta = (concerns: unknown) => ({ _meta: { [EXTENSION_ID]: { concerns } } });
const sources = [
  {},
  meta({ security: 'high' }),
  meta({ security: 'nothing' }),
  meta({ constructor: 1 }),
  meta(7),
];
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'tasks/list'];
const names = [
  'encryptData',
  'explainEncryption',
  'vault://keys',
  'vault://keys/1',
  'vault://keys/{id}',
  'nothing',
  '',
];

/** All methods, with visible names, unknown names and malformed params. */
function* requests(): Generator<[string, object]> {
  for (const source of sources) {
    for (const method of lists) {
      yield [method, source];
      yield [method, { ...source, cursor: 'x' }];
      yield [method, { ...source, filter: { namePatterns: ['*'], uriPatterns: ['*'] } }];
      yield [method, { ...source, filter: 5 }];
    }
    for (const name of names) {
      yield ['tools/call', { ...source, name, arguments: { text: 'x' } }];
      yield ['prompts/get', { ...source, name }];
      yield ['resources/read', { ...source, uri: name }];
      yield ['resources/subscribe', { ...source, uri: name }];
      yield ['resources/unsubscribe', { ...source, uri: name }];
      const argument = { name: 'id', value: '' };
      yield ['completion/complete', { ...source, ref: { type: 'ref/resource', uri: name }, argument }];
      yield ['completion/complete', { ...source, ref: { type: 'ref/prompt', name }, argument }];
    }
    yield ['updateConcerns', { ...source, concerns: { security: 'high' } }];
    yield ['listConcerns', source];
    yield ['ping', source];
    for (const method of UNKNOWN) yield [method, { ...source, uri: 'vault://keys', name: 'encryptData' }];
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']) {
      yield [method, { ...source, taskId: 'x' }];
    }
  }
}

/** Methods of extensions and drafts, and invented ones. */
const UNKNOWN = [
  'skills/list',
  'skills/get',
  'resources/directory/read',
  'tools/resolve',
  'groups/list',
  'groups/get',
  'interceptors/list',
  'events/poll',
  'subscriptions/listen',
  'nothing/at-all',
  'tools/List',
  'tools/call/',
  '__proto__',
];

async function ask(connection: Connection, method: string, params: object): Promise<string> {
  try {
    return JSON.stringify(await connection.request(method, params));
  } catch (error) {
    const { message, data } = error as { message: string; data?: unknown };
    return JSON.stringify({ message, data });
  }
}

describe.each([...MOUNTS, ...TRANSLATED])('$name', ({ connect }) => {
  it('reveals nothing hidden, whatever the request', async () => {
    SENT.length = 0;
    const connection = await connect(policy);
    const seen = [JSON.stringify(connection.capabilities)];
    for (const [method, params] of requests()) seen.push(await ask(connection, method, params));
    seen.push(JSON.stringify(connection.notified), ...SENT);
    await connection.close();
    expect(seen.some((text) => text.includes('encryptData'))).toBe(true);
    for (const name of HIDDEN) expect(seen.filter((text) => text.includes(name))).toEqual([]);
  });

  it('names a hidden primitive only in the response to a request that named it', async () => {
    const connection = await connect(policy);
    for (const name of HIDDEN) {
      for (const [method, params] of [
        ['tools/call', { name, arguments: { text: 'x' } }],
        ['prompts/get', { name }],
        ['resources/read', { uri: name }],
      ] as const) {
        const answer = await ask(connection, method, params);
        for (const other of HIDDEN) if (other !== name) expect(answer).not.toContain(other);
        // The answer of the hidden tool.
        expect(answer).not.toContain('"text":"x"');
      }
    }
    await connection.close();
  });
});
