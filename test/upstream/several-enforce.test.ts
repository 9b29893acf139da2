import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageRequestSchema,
  LoggingMessageNotificationSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { inProcessTransport } from '../../src/proxy/in-process.js';
import { policyOf } from '../gate/gate-harness.js';
import { ListingServer, listing, tool } from './listing-server.js';
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
    expect(textOf(await client.callTool({ name: 'two__fail' }))).toBe(
      'Use [hidden] or [hidden], or [hidden]',
    );
    expect(textOf(await client.callTool({ name: 'one__fail' }))).toBe('Use [hidden] or who, or [hidden]');
    const errors = ['two__drop_table', 'two__nothing', 'three__who', 'who'].map((name) =>
      client.callTool({ name }).catch(({ message }: Error) => message),
    );
    expect(new Set(await Promise.all(errors)).size).toBe(1);
  });

  it('cannot rewrite what the endpoint says of the others with the names of hidden tools', async () => {
    const policy = policyOf(`
primitives:
  resources: { 'good+a://b': {} }
settings: { unmapped: hide, enforcement: enforce }`);
    const evil = new ListingServer(
      listing({
        tools: ['concerns', 'github', 'left-out', 'uri', 'good'].map((name) => tool(name)),
        resources: [{ name: 'x' }],
      }),
    );
    const good = new ListingServer(listing({ resources: [{ uri: 'a://b', name: 'a' }] }));
    const client = await connect({ evil: evil.start, good: good.start }, newClient(), policy);
    await namesOf(client);
    const { resources, _meta } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['good+a://b']);
    expect(Object.keys(_meta ?? {})).toEqual(['io.github.mcp-concerns/left-out']);
  });

  it('do not run a tool with a long name under the full name of which a pattern shows the text', async () => {
    const long = 'drop_'.repeat(12);
    const destructive = () =>
      inProcessTransport(() => {
        const server = new McpServer({ name: 'one', version: '1' });
        server.registerTool(long, { annotations: { destructiveHint: true } }, () => text('dropped'));
        server.registerTool('who', {}, () => text('one'));
        return server;
      });
    const policy = policyOf(`
primitives:
  tools: { one__who: {} }
patterns:
  tools: { '*drop_': {} }
rules:
  - id: keep
    hide: [tools]
    when: { '===': [{ var: primitive.annotations.destructiveHint }, true] }
settings: { unmapped: hide, enforcement: enforce }`);
    const client = await connect({ one: destructive }, newClient(), policy);
    expect(await namesOf(client)).toEqual(['one__who']);
    const answer = await client.callTool({ name: `one__${long}` }).catch(({ message }: Error) => message);
    expect(answer).toContain('Not found');
  });

  const LONG = 'erase_'.repeat(9);
  /** A server that names its tools `secret_tool` and LONG, and `who`, wherever a server can write. */
  const talking = (name: string) => () =>
    inProcessTransport(() => {
      const said = `Not "who", secret_tool, ${LONG}old_tool or data://secret`;
      const server = new McpServer(
        { name, version: '1' },
        { instructions: said, capabilities: { logging: {} } },
      );
      server.registerTool('talk', { description: said }, async () => {
        await server.server.sendLoggingMessage({ level: 'info', data: said });
        const tools = ['talk', 'secret_tool', LONG, 'own_tool'].map((each) => ({
          name: each,
          inputSchema: { type: 'object' as const },
        }));
        const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: said } }];
        await server.server.createMessage({ messages, maxTokens: 1, tools });
        return { ...text(said), isError: true };
      });
      for (const each of ['secret_tool', LONG, 'who']) server.registerTool(each, {}, () => text(each));
      server.registerResource('s', 'data://secret', {}, () => ({ contents: [] }));
      return server;
    });
  const POLICY = policyOf(`
primitives:
  tools: { one__talk: {}, two__talk: {}, one__who: {}, two__old_tool: { effect: changes } }
  resources: { 'one+data://secret': {} }
concerns:
  effect: { values: [read-only, changes], match: at-most, set-by: operator, claim: effect, default: read-only }
settings: { unmapped: hide, enforcement: enforce }`);

  it('name nothing hidden in the texts of a server, and nothing of its is shown because another server shows it', async () => {
    const host = new Client(
      { name: 'host', version: '1' },
      { capabilities: { sampling: { tools: {} }, elicitation: { form: {} } } },
    );
    const [logged, asked]: [unknown[], unknown[]] = [[], []];
    host.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
    host.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      asked.push(params);
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'yes' } };
    });
    const client = await connect({ one: talking('one'), two: talking('two') }, host, POLICY);
    const { tools } = await client.listTools();
    const described = (name: string) => tools.find((each) => each.name === name)?.description;
    const two = 'Not "[hidden]", [hidden], [hidden][hidden] or [hidden]';
    // A list of tools tells nothing of resources.
    expect(described('two__talk')).toBe('Not "[hidden]", [hidden], [hidden][hidden] or data://secret');
    await client.listResources();
    expect(textOf(await client.callTool({ name: 'two__talk' }))).toBe(two);
    expect(logged).toMatchObject([{ data: two }]);
    expect(JSON.stringify(asked)).toContain(JSON.stringify(two).slice(1, -1));
    expect(asked).toMatchObject([{ tools: [{ name: 'talk' }] }]);
    const one = `Not "who", [hidden], [hidden]old_tool or data://secret`;
    expect(textOf(await client.callTool({ name: 'one__talk' }))).toBe(one);
  });

  it('answer a hidden name like an unknown one that a pattern shows', async () => {
    const policy = policyOf(`
concerns: { effect: { values: [read-only, changes], match: at-most, set-by: operator, claim: effect, default: read-only } }
primitives: { tools: { one__drop_table: { effect: changes }, one__old_tool: {} } }
patterns: { tools: { 'one__*': { effect: read-only } } }
settings: { enforcement: enforce }`);
    const client = await connect({ one: failing('one') }, newClient(), policy);
    expect(await namesOf(client)).toEqual(['one__fail', 'one__who']);
    const refused = ['one__drop_table', 'one__drop_tables', 'two__drop_table'].map((name) =>
      client.callTool({ name }).then(JSON.stringify, ({ message }: Error) => message),
    );
    expect(new Set(await Promise.all(refused)).size).toBe(1);
    // An entry says that the tool may be called, also if the server does not list it.
    expect(textOf(await client.callTool({ name: 'one__old_tool' }))).toContain('old_tool not found');
  });

  it('name nothing hidden of their own while another one is asked for its own under the same name', async () => {
    const client = newClient();
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
    const one = new McpServer({ name: 'one', version: '1' }, { capabilities: { logging: {} } });
    const two = new McpServer({ name: 'two', version: '1' });
    one.registerTool('old_tool', {}, () => text('hidden'));
    two.registerTool('old_tool', {}, async () => {
      await one.server.sendLoggingMessage({ level: 'info', data: 'not old_tool' });
      return text('shown');
    });
    const policy = policyOf(`
primitives: { tools: { two__old_tool: {} } }
settings: { unmapped: hide, enforcement: enforce }`);
    const servers = { one: () => inProcessTransport(() => one), two: () => inProcessTransport(() => two) };
    await connect(servers, client, policy);
    await client.listTools();
    expect(textOf(await client.callTool({ name: 'two__old_tool' }))).toBe('shown');
    expect(logged).toMatchObject([{ data: 'not [hidden]' }]);
  });

  it('are named in their messages, also if a hidden tool is called like a part of the member that names them', async () => {
    const client = newClient();
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
    const logging = () =>
      inProcessTransport(() => {
        const server = new McpServer({ name: 'one', version: '1' }, { capabilities: { logging: {} } });
        server.registerTool('github', {}, () => text('hidden'));
        server.registerTool('log', {}, async () => {
          await server.server.sendLoggingMessage({ level: 'info', data: 'not github' });
          return text('logged');
        });
        return server;
      });
    const policy = policyOf(`
primitives: { tools: { one__log: {} } }
settings: { unmapped: hide, enforcement: enforce }`);
    await connect({ one: logging }, client, policy);
    await client.listTools();
    await client.callTool({ name: 'one__log' });
    expect(logged).toMatchObject([
      { data: 'not [hidden]', _meta: { 'io.github.mcp-concerns/server': 'one' } },
    ]);
  });

  it('read no unlisted resource of a server that a rule hides, and answer as for a server that there is not', async () => {
    const read = vi.fn((uri: URL) => ({ contents: [{ uri: uri.href, text: 'secret' }] }));
    const any = () =>
      inProcessTransport(() => {
        const server = new McpServer({ name: 'any', version: '1' });
        server.registerResource('r', 'data://a', {}, read);
        server.server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => read(new URL(params.uri)));
        return server;
      });
    const policy = policyOf(`
rules:
  - id: none-of-two
    hide: [tools, prompts, resources, resourceTemplates]
    when: { "===": [{ var: primitive.server }, two] }
settings: { enforcement: enforce }`);
    const client = await connect({ one: any, two: any }, newClient(), policy);
    expect((await client.readResource({ uri: 'one+data://unlisted' })).contents).toHaveLength(1);
    const refused = ['two+data://a', 'two+data://unlisted', 'three+data://a', 'three+data://unlisted'].map(
      (uri) => client.readResource({ uri }).then(String, ({ message }: Error) => message),
    );
    expect(new Set(await Promise.all(refused))).toEqual(new Set([expect.stringContaining('Not found')]));
    expect(read).toHaveBeenCalledTimes(1);
  });
});
