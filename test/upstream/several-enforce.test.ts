import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { inProcessTransport } from '../../src/upstream/in-process.js';
import { policyOf } from '../gate/gate-harness.js';
import { connect, namesOf, newClient, text, textOf } from './several-harness.js';

describe('several servers under enforce', () => {
  const failing = (name: string) => () =>
    inProcessTransport(() => {
      const server = new McpServer({ name, version: '1' });
      const error = { content: text('Use drop_table or who, or data://secret').content, isError: true };
      server.registerTool('fail', {}, () => error);
      server.registerTool('drop_table', {}, () => text('dropped'));
      server.registerTool('who', {}, () => text(name));
      server.registerResource('s', 'data://secret', {}, () => ({ contents: [] }));
      return server;
    });

  it('answer hidden names like unknown ones, and name no hidden primitive by the name that its server uses', async () => {
    const policy = policyOf(`
primitives:
  tools: { one__fail: {}, two__fail: {}, one__who: {} }
settings: { unmapped: hide, enforcement: enforce }`);
    const client = await connect({ one: failing('one'), two: failing('two') }, newClient(), policy);
    expect(await namesOf(client)).toEqual(['one__fail', 'one__who', 'two__fail']);
    await client.listResources();
    expect(textOf(await client.callTool({ name: 'two__fail' }))).toBe('Use [hidden] or who, or [hidden]');
    const errors = ['two__drop_table', 'two__nothing', 'three__who', 'who'].map((name) =>
      client.callTool({ name }).catch(({ message }: Error) => message),
    );
    expect(new Set(await Promise.all(errors)).size).toBe(1);
  });

  it('do not run a tool with a long name under the full name of which a pattern shows the text', async () => {
    const long = 'drop_'.repeat(12);
    const destructive = () =>
      inProcessTransport(() => {
        const server = new McpServer({ name: 'one', version: '1' });
        server.registerTool(long, {}, () => text('dropped'));
        server.registerTool('who', {}, () => text('one'));
        return server;
      });
    const policy = policyOf(`
primitives:
  tools: { one__who: {} }
patterns:
  tools: { '*drop_': {} }
settings: { unmapped: hide, enforcement: enforce }`);
    const client = await connect({ one: destructive }, newClient(), policy);
    expect(await namesOf(client)).toEqual(['one__who']);
    const answer = await client.callTool({ name: `one__${long}` }).catch(({ message }: Error) => message);
    expect(answer).toContain('Not found');
  });
});
