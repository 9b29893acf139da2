import { describe, expect, it } from 'vitest';
import { type Victim, victimOf } from './hostile-server.js';

const policy = (settings = '') => `
concerns: { effect: { values: [read, destroys], match: at-most, default: read } }
primitives:
  tools: { look: { effect: read }, look_up: { effect: read }, delete_repo: { effect: destroys }, delete_repo_soon: { effect: read }, search: { effect: destroys }, dropAll: { effect: destroys } }
  prompts: { wipe-disk: { effect: destroys }, greet: { effect: read } }
settings: { enforcement: enforce, defaults: always${settings} }
`;

const answers = {
  'tools/list': () => ({
    _meta: { 'example.com/next': 'delete_repo, then search' },
    tools: [
      {
        name: 'look',
        title: 'Look before delete_repo',
        description:
          'A search of files. Never `search`, "search" or delete_repo; dropAll is worse, delete_repo_soon is fine. See wipe-disk.',
        inputSchema: {
          type: 'object',
          title: 'delete_repo',
          properties: {
            delete_repo: { type: 'boolean', description: 'Calls delete_repo.' },
            tool: { enum: ['look', 'search', 'delete_repo', 'dropAll'], default: 'delete_repo' },
          },
          required: ['delete_repo'],
          examples: ['delete_repo'],
        },
        outputSchema: {
          type: 'object',
          properties: { ran: { enum: ['look', 'delete_repo'], description: 'dropAll' } },
        },
        annotations: { title: 'Not delete_repo' },
        _meta: { 'example.com/after': ['delete_repo'], dropAll: { name: 'delete_repo' } },
        vendor: { hint: 'delete_repo' },
      },
      { name: 'look_up', description: 'Says nothing.', inputSchema: { type: 'object' } },
      ...['delete_repo', 'delete_repo_soon', 'search', 'dropAll'].map((name) => ({
        name,
        inputSchema: { type: 'object' },
      })),
    ],
  }),
  'prompts/list': () => ({
    prompts: [
      { name: 'greet', description: 'Then delete_repo.', arguments: [{ name: 'wipe-disk' }] },
      { name: 'wipe-disk' },
    ],
  }),
  'resources/list': () => ({ resources: [] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
};

async function listed(
  settings?: string,
): Promise<{ look: Record<string, unknown>; meta: unknown; text: string }> {
  const { ask } = await victimOf(policy(settings), answers);
  const text = await ask('tools/list');
  const { tools, _meta } = JSON.parse(text).result;
  return { look: tools[0], meta: _meta, text };
}

const texts = async (victim: Victim): Promise<string[]> => {
  const asked = [];
  for (const kind of ['tools', 'prompts', 'tools', 'prompts', 'tools']) {
    asked.push(JSON.stringify(JSON.parse(await victim.ask(`${kind}/list`)).result));
  }
  return asked;
};

describe('a list under enforce', () => {
  it('has definitions of visible tools that name no hidden one', async () => {
    const { look } = await listed();
    expect(look).toEqual({
      name: 'look',
      title: 'Look before [hidden]',
      description:
        'A search of files. Never `[hidden]`, "[hidden]" or [hidden]; [hidden] is worse, delete_repo_soon is fine. See [hidden].',
      inputSchema: {
        type: 'object',
        title: '[hidden]',
        // Clients send these as they are.
        properties: {
          delete_repo: { type: 'boolean', description: 'Calls [hidden].' },
          tool: { enum: ['look', 'search'] },
        },
        required: ['delete_repo'],
      },
      // Clients check results against these.
      outputSchema: {
        type: 'object',
        properties: { ran: { enum: ['look', 'delete_repo'], description: '[hidden]' } },
      },
      annotations: { title: 'Not [hidden]' },
      _meta: { 'example.com/after': ['[hidden]'], '[hidden]': { name: '[hidden]' } },
      vendor: { hint: '[hidden]' },
    });
  });

  it('keeps what the server wrote under texts: keep', async () => {
    const { look } = await listed(', texts: keep');
    const [tool] = answers['tools/list']().tools;
    expect(look).toEqual(tool);
  });

  it('has no hidden name in its own _meta', async () => {
    const { meta } = await listed();
    expect(meta).toMatchObject({ 'example.com/next': '[hidden], then [hidden]' });
  });

  it('keeps the names of the arguments of a prompt, and hides those of hidden tools', async () => {
    const { ask } = await victimOf(policy(), answers);
    const { prompts } = JSON.parse(await ask('prompts/list')).result;
    expect(prompts).toEqual([
      { name: 'greet', description: 'Then [hidden].', arguments: [{ name: 'wipe-disk' }] },
    ]);
  });

  it('has the same bytes, whatever was listed before', async () => {
    const [tools, prompts, ...again] = await texts(await victimOf(policy(), answers));
    expect(again).toEqual([tools, prompts, tools]);
    const other = await victimOf(policy(), answers);
    await other.ask('prompts/list');
    expect((await texts(other))[0]).toBe(tools);
  });

  it('finds the definition of a tool that is shown again as the server wrote it', async () => {
    const { ask } = await victimOf(policy(), answers);
    await ask('tools/list');
    await ask('updateConcerns', { concerns: { effect: 'destroys' } });
    const { tools } = JSON.parse(await ask('tools/list')).result;
    expect(tools[0]).toEqual(answers['tools/list']().tools[0]);
  });
});

describe('a notification under enforce', () => {
  it('has no hidden name in its _meta, and keeps what the protocol has there', async () => {
    const { ask, server, received } = await victimOf(policy(), answers);
    await ask('tools/list');
    await server.notification({
      method: 'notifications/message',
      params: {
        level: 'info',
        data: '',
        _meta: {
          'example.com/next': 'delete_repo',
          'io.modelcontextprotocol/related-task': { taskId: 'search' },
          'io.modelcontextprotocol/subscriptionId': 'search',
        },
      },
    });
    await ask('ping');
    const sent = received.find((text) => text.includes('notifications/message'));
    expect(JSON.parse(sent ?? '{}').params._meta).toEqual({
      'example.com/next': '[hidden]',
      'io.modelcontextprotocol/related-task': { taskId: 'search' },
      'io.modelcontextprotocol/subscriptionId': 'search',
    });
  });
});
