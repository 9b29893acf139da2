import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { policyFile } from '../gate/gate-harness.js';
import { type Connection, MOUNTS, type SuitePolicy } from './mounts.js';

const BODY = `
concerns:
  security: { values: [low, medium, high] }
  cost: { values: [minimal, moderate, high] }
presets: { safe: { security: high, cost: minimal } }
primitives:
  tools:
    encryptData: { security: high, cost: minimal }
    logData: { security: medium }
    validateData: {}
    storeRecord: { security: high, cost: moderate }
  prompts: { reviewAccess: { cost: moderate } }
  resources: { "vault://audit": { security: medium } }
  resourceTemplates: { "vault://keys/{id}": { cost: high } }
`;
function suitePolicy(settings: string): SuitePolicy {
  const file = policyFile(BODY + settings);
  return { file, policy: loadPolicy(file) };
}
const advisory = suitePolicy('');
const enforce = suitePolicy('settings: { enforcement: enforce }\n');
const paged = suitePolicy('settings: { page-size: 1 }\n');

const meta = (concerns: unknown) => ({ _meta: { [EXTENSION_ID]: { concerns } } });
const ours = (result: Record<string, unknown>) =>
  (result._meta as Record<string, Record<string, unknown>>)?.[EXTENSION_ID];
async function names(connection: Connection, params: object = {}): Promise<string[]> {
  const { tools } = await connection.request('tools/list', params);
  return (tools as { name: string }[]).map(({ name }) => name);
}
const HIGH_MINIMAL = { security: 'high', cost: 'minimal' };

describe.each(MOUNTS)('$name', ({ connect }) => {
  async function using(
    policy: SuitePolicy | undefined,
    test: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const connection = await connect(policy);
    try {
      await test(connection);
    } finally {
      await connection.close();
    }
  }

  it('declares concerns, and the filters of each list', () =>
    using(advisory, async ({ capabilities, era }) => {
      const extensions = capabilities.extensions as Record<string, Record<string, unknown>>;
      expect(extensions[EXTENSION_ID]).toMatchObject({
        concerns: [{ name: 'security' }, { name: 'cost' }],
        presets: { safe: HIGH_MINIMAL },
        methods: era === 'modern' ? ['listConcerns'] : ['listConcerns', 'updateConcerns'],
        filtering: { tools: ['namePatterns'], resources: ['namePatterns', 'uriPatterns'] },
      });
      expect(['legacy', 'modern']).toContain(era);
    }));

  it('shows everything without preferences, as the server alone', async () => {
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
    const bare: unknown[] = [];
    await using(undefined, async (connection) => {
      for (const each of lists) bare.push(await connection.request(each));
    });
    await using(advisory, async (connection) => {
      for (const [index, each] of lists.entries())
        expect(await connection.request(each)).toEqual(bare[index]);
    });
  });

  it('filters each list by the preferences of the request', () =>
    using(advisory, async (connection) => {
      const result = await connection.request('tools/list', meta(HIGH_MINIMAL));
      expect((result.tools as { name: string }[]).map(({ name }) => name)).toEqual([
        'encryptData',
        'validateData',
      ]);
      expect(ours(result)).toEqual({ concerns: HIGH_MINIMAL, shown: 2, total: 4 });
      const prompts = await connection.request('prompts/list', meta({ cost: 'minimal' }));
      expect(prompts.prompts).toMatchObject([{ name: 'explainEncryption' }]);
      const resources = await connection.request('resources/list', meta({ security: 'low' }));
      expect(resources.resources).toMatchObject([{ uri: 'vault://keys' }]);
      const templates = await connection.request('resources/templates/list', meta({ cost: 'minimal' }));
      expect(templates.resourceTemplates).toMatchObject([{ uriTemplate: 'vault://audit/{id}' }]);
      // Modern clients cache lists.
      if (connection.era === 'modern') expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    }));

  it('answers listConcerns', () =>
    using(advisory, async (connection) => {
      expect(await connection.request('listConcerns')).toMatchObject({
        concerns: [{ name: 'security', values: ['low', 'medium', 'high'] }, { name: 'cost' }],
        presets: { safe: HIGH_MINIMAL },
      });
    }));

  it('answers updateConcerns where a session keeps preferences, and does not have it elsewhere', () =>
    using(advisory, async (connection) => {
      const update = connection.request('updateConcerns', { concerns: { preset: 'safe' } });
      if (connection.era === 'modern') {
        // The status is 404, and the client of the SDK gives the text of such a response.
        await expect(update).rejects.toThrow('"code":-32601');
        expect(await names(connection)).toHaveLength(4);
        return;
      }
      expect(await update).toMatchObject({
        concerns: HIGH_MINIMAL,
        visible: { tools: 2, prompts: 1, resources: 1, resourceTemplates: 1 },
      });
      expect(connection.notified).toContain('notifications/tools/list_changed');
      expect(await names(connection)).toEqual(['encryptData', 'validateData']);
      await connection.request('updateConcerns', { concerns: {} });
      expect(await names(connection)).toHaveLength(4);
    }));

  it('refuses an undeclared value', () =>
    using(advisory, async (connection) => {
      const error = { code: -32602, data: { concern: 'security', value: 'hihg', suggestion: 'high' } };
      await expect(connection.request('tools/list', meta({ security: 'hihg' }))).rejects.toMatchObject(error);
      if (connection.era === 'modern') return;
      const update = connection.request('updateConcerns', { concerns: { security: 'hihg' } });
      await expect(update).rejects.toMatchObject(error);
    }));

  it('combines the client filter with concerns', () =>
    using(advisory, async (connection) => {
      const filter = { namePatterns: ['*Data'] };
      expect(await names(connection, { filter })).toEqual(['encryptData', 'logData', 'validateData']);
      expect(await names(connection, { filter, ...meta({ security: 'medium' }) })).toEqual([
        'logData',
        'validateData',
      ]);
      await expect(
        connection.request('tools/list', { filter: { namePatterns: [''] } }),
      ).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("Invalid pattern in namePatterns: ''"),
      });
    }));

  it('pages a list consistently', () =>
    using(paged, async (connection) => {
      const params = meta({ security: 'high' });
      const seen: string[] = [];
      let cursor: unknown;
      do {
        const page = await connection.request(
          'tools/list',
          cursor === undefined ? params : { ...params, cursor },
        );
        seen.push(...(page.tools as { name: string }[]).map(({ name }) => name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(['encryptData', 'validateData', 'storeRecord']);

      const { nextCursor } = await connection.request('tools/list', params);
      const other = { cursor: nextCursor, ...meta({ security: 'low' }) };
      await expect(connection.request('tools/list', other)).rejects.toMatchObject({ code: -32602 });
      const filtered = { cursor: nextCursor, ...params, filter: { namePatterns: ['*'] } };
      await expect(connection.request('tools/list', filtered)).rejects.toMatchObject({
        message: expect.stringContaining('Filter parameters must not change between paginated requests'),
      });
    }));

  it('blocks no call under advisory', () =>
    using(advisory, async (connection) => {
      const call = { name: 'logData', arguments: { text: 'x' }, ...meta(HIGH_MINIMAL) };
      expect(await connection.request('tools/call', call)).toMatchObject({ content: [{ text: 'x' }] });
    }));

  it('answers under enforce for hidden primitives as for primitives that do not exist', async () => {
    const requests: [string, (name: string) => object, string, string][] = [
      ['tools/call', (name) => ({ name, arguments: { text: 'x' } }), 'logData', 'noData'],
      ['prompts/get', (name) => ({ name }), 'reviewAccess', 'noAccess'],
      ['resources/read', (uri) => ({ uri }), 'vault://audit', 'vault://nothing'],
      ['resources/read', (uri) => ({ uri }), 'vault://keys/1', 'vault://none/1'],
    ];
    const said = async (connection: Connection, method: string, params: object) => {
      try {
        return { result: await connection.request(method, params) };
      } catch (error) {
        const { code, message } = error as { code: number; message: string };
        return { code, message };
      }
    };
    const expected: string[] = [];
    await using(undefined, async (connection) => {
      for (const [method, params, hidden, unknown] of requests) {
        expected.push(
          JSON.stringify(await said(connection, method, params(unknown))).replaceAll(unknown, hidden),
        );
      }
    });
    await using(enforce, async (connection) => {
      for (const [index, [method, params, hidden]] of requests.entries()) {
        const got = await said(connection, method, { ...params(hidden), ...meta(HIGH_MINIMAL) });
        expect(JSON.stringify(got)).toBe(expected[index]);
        expect(await said(connection, method, params(hidden))).toHaveProperty('result');
      }
    });
  });
});
