import { describe, expect, it, vi } from 'vitest';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { modern } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const policyWith = (settings: string, concern = '') =>
  policyOf(`
concerns:
  access: { values: [read, write], match: at-most${concern} }
  topic: { values: [news, stocks], model: free }
primitives:
  tools: { look: { access: read }, remove: { access: write }, quote: { topic: stocks } }
  prompts: { wipe: { access: write } }
settings: { ${settings} }
`);
const TOOLS = ['look', 'remove', 'quote'].map((name) => ({ name, inputSchema: { type: 'object' } }));

/** A legacy session with these preferences, which the client set after it had connected. */
async function session(settings: string, concerns: object, concern?: string) {
  const harness = new Harness(policyWith(settings, concern));
  harness.serve({ 'tools/list': TOOLS, 'prompts/list': [{ name: 'wipe' }] });
  const ask = async (method: string, params: object = {}) => {
    const id = harness.toClient.length + harness.toServer.length + 1;
    harness.request(id, method, params);
    // The tool `concerns` is loaded when it is first called.
    await vi.waitFor(() => expect(harness.answers(id)).toHaveLength(1));
    return harness.answers(id)[0];
  };
  const capabilities = { extensions: { [EXTENSION_ID]: {} } };
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 't', version: '1' },
  });
  const switched = await ask('updateConcerns', { concerns });
  const names = async () => {
    const tools = read(await ask('tools/list'), 'result', 'tools');
    return Array.isArray(tools) ? tools.map(({ name }) => name) : [];
  };
  return { harness, ask, names, switched };
}

const OFF =
  '"remove" is switched off, because access is read; do not retry: the person must change that first.';

describe('lists: stable', () => {
  it.each(['lists: stable', 'lists: stable, enforcement: enforce'])(
    'answers a call of a listed tool that a preference hides with one sentence, with %s',
    async (settings) => {
      const { harness, ask, names } = await session(settings, { access: 'read' });
      expect(await names()).toEqual(['look', 'remove', 'quote']);
      expect(await ask('tools/call', { name: 'remove' })).toMatchObject({
        result: { isError: true, content: [{ type: 'text', text: OFF }] },
      });
      expect(harness.toServer.some((message) => JSON.stringify(message).includes('remove'))).toBe(false);
      expect(harness.reports.at(-1)).toMatchObject({
        method: 'tools/call',
        isError: true,
        decision: { effect: 'hide', reason: { code: 'concern-mismatch', concern: 'access' } },
      });
      expect(await ask('tools/call', { name: 'look' })).toMatchObject({ result: {} });
    },
  );

  it('answers a request that waits for no failed result with an error', async () => {
    const { ask } = await session('lists: stable', { access: 'read' });
    const error = { code: -32602, message: OFF };
    expect(await ask('tools/call', { name: 'remove', task: {} })).toMatchObject({ error });
    expect(await ask('prompts/get', { name: 'wipe' })).toMatchObject({
      error: { code: -32602, message: OFF.replace('remove', 'wipe') },
    });
  });

  it('says what the model itself can change', async () => {
    const { ask } = await session('lists: stable, panel: on', { topic: 'news' });
    const text = JSON.stringify(await ask('tools/call', { name: 'quote' }));
    expect(text).toContain('because topic is news');
    expect(text).toContain('the person, or you with the tool concerns, must change that first.');
  });

  it('lets the model switch calls on, without another list', async () => {
    const { harness, ask, names } = await session('lists: stable, panel: on', { topic: 'news' });
    const before = JSON.stringify(await names());
    await ask('tools/call', { name: 'concerns', arguments: { show: ['quote'] } });
    expect(await ask('tools/call', { name: 'quote' })).toMatchObject({ result: {} });
    expect(harness.toServer).toContainEqual(
      expect.objectContaining({ method: 'tools/call', params: { name: 'quote' } }),
    );
    expect(JSON.stringify(await names())).toBe(before);
    expect(harness.toClient.filter((message) => 'method' in message)).toEqual([]);
  });

  it('says what calls may do after a switch, and tells no list that changed', async () => {
    const { harness, switched } = await session('lists: stable', { access: 'read' });
    expect(switched).toMatchObject({
      result: { concerns: { access: 'read' }, visible: { tools: 2, prompts: 0 } },
    });
    expect(harness.toClient.filter((message) => 'method' in message)).toEqual([]);
  });

  it('of one concern leaves the others to filter lists, also for tools that a model adds', async () => {
    const preferences = { access: 'read', topic: 'news' };
    const { ask, names } = await session('panel: on', preferences, ', lists: stable');
    expect(await names()).toEqual(['look', 'remove', 'concerns']);
    await ask('tools/call', { name: 'concerns', arguments: { show: ['quote'] } });
    expect(await names()).toEqual(['look', 'remove', 'quote', 'concerns']);
    expect(await ask('tools/call', { name: 'remove' })).toMatchObject({ result: { isError: true } });
  });

  it('lets a host of 2026-07-28 cache the list, whatever it prefers', () => {
    const hintsWith = (settings: string) => {
      const harness = new Harness(policyWith(settings));
      harness.onServer = (message) => {
        if (!('id' in message)) return;
        const result = { tools: TOOLS, ttlMs: 5000, cacheScope: 'public' };
        void harness.server({ jsonrpc: '2.0', id: message.id, result });
      };
      const _meta = { ...modern(), [EXTENSION_ID]: { concerns: { access: 'read' } } };
      harness.request(1, 'tools/list', { _meta });
      return read(harness.answers(1).at(-1), 'result');
    };
    expect(hintsWith('lists: filter')).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect(hintsWith('lists: stable')).toMatchObject({ ttlMs: 5000, cacheScope: 'public' });
  });

  it('hides nothing from calls under shadow', async () => {
    const { ask } = await session('lists: stable, enforcement: shadow', { access: 'read' });
    expect(await ask('tools/call', { name: 'remove' })).toMatchObject({ result: {} });
    expect(JSON.stringify(await ask('tools/call', { name: 'remove' }))).not.toContain('isError');
  });
});
