import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, it } from 'vitest';
import type { Policy } from '../../src/core/engine/policy.js';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
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
async function connect(policy: Policy | LivePolicy = policyOf(POLICY)) {
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
      attachConcerns(made, { policy });
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
  return { ask, updated, sent };
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

it('tells of a new policy that changes what is shown', async () => {
  const live = new LivePolicy(policyOf(POLICY));
  const { ask, sent } = await connect(live);
  await ask('resources/list');
  await ask('subscriptions/listen', { notifications: { resourcesListChanged: true } });
  const before = sent.length;
  live.replace(policyOf(POLICY.replace('level: high', 'level: low')));
  await expect
    .poll(() => sent.slice(before))
    .toMatchObject([{ method: 'notifications/resources/list_changed' }]);
  live.replace(
    policyOf(
      `${POLICY}# the same\n`.replace('level: high', 'level: low').replace('[low, high]', '[low, high, top]'),
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent).toHaveLength(before + 1);
});
