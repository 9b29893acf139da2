import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, it } from 'vitest';
import { attachConcerns } from '../../src/gate/attach.js';
import { policyOf } from '../gate/gate-harness.js';

const POLICY = `
concerns: { level: { values: [low, high] } }
primitives: { resources: { "file:///shown": { level: low }, "file:///hidden": { level: high } } }
settings: { enforcement: enforce }
`;
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.github.mcp-concerns/concerns': { concerns: { level: 'low' } } },
  },
};

/** SDK v2 over stdio answers `subscriptions/listen` itself, before the transport that the gate is on. */
async function connect() {
  const sent: object[] = [];
  const wire = {
    onmessage: (_message: object): void => undefined,
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: object) => void sent.push(message),
  };
  let made: McpServer | undefined;
  serveStdio(
    () => {
      made = new McpServer(
        { name: 'own', version: '1.0.0' },
        { capabilities: { resources: { subscribe: true } } },
      );
      for (const name of ['shown', 'hidden'])
        made.registerResource(name, `file:///${name}`, {}, async () => ({ contents: [] }));
      attachConcerns(made, { policy: policyOf(POLICY) });
      return made;
    },
    { transport: wire as never },
  );
  let id = 0;
  const ask = async (method: string, params: object = {}): Promise<object[]> => {
    const before = sent.length;
    wire.onmessage({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } });
    await expect.poll(() => sent.length).toBeGreaterThan(before);
    return sent.slice(before);
  };
  await ask('server/discover');
  const updated = async (name: string): Promise<object[]> => {
    const before = sent.length;
    await made?.server.sendResourceUpdated({ uri: `file:///${name}` });
    await new Promise((resolve) => setTimeout(resolve, 50));
    return sent.slice(before);
  };
  return { ask, updated };
}

it('answers a subscription to a hidden resource like one to a resource that does not exist', async () => {
  const answers = await Promise.all(
    ['hidden', 'nowhere'].map(async (name) => {
      const { ask } = await connect();
      const answer = await ask('subscriptions/listen', {
        notifications: { resourceSubscriptions: [`file:///${name}`] },
      });
      return JSON.stringify(answer).replaceAll(name, 'NAME');
    }),
  );
  expect(answers[0]).toBe(answers[1]);
});

it('sends updates of visible resources only', async () => {
  const { ask, updated } = await connect();
  const resourceSubscriptions = ['file:///shown', 'file:///hidden'];
  await ask('resources/list');
  await ask('subscriptions/listen', { notifications: { resourceSubscriptions } });
  expect(JSON.stringify(await updated('shown'))).toContain('file:///shown');
  expect(await updated('hidden')).toEqual([]);
});
