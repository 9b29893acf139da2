import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import { fixture, MAIN, start } from './run.js';

type Message = ReturnType<typeof JSON.parse>;

const OPTIONS = ['--no-project', '--panel', 'off', '--policy', fixture('rules.yaml')];
const MODULE = ['--server', fixture('asking-module.mjs')];
/** A server of 2026-07-28 behind the endpoint: the same module, served over stdio by another process. */
const COMMAND = ['--', process.execPath, MAIN, 'serve', ...OPTIONS, '--stdio', ...MODULE];
const SERVERS = { module: MODULE, command: COMMAND } as const;
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { [TASKS_EXTENSION]: {} },
    elicitation: { form: {} },
  },
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A host of 2026-07-28 without an SDK, and everything that it was sent. */
async function connect(front: 'http' | 'stdio', server: keyof typeof SERVERS) {
  const running = start(
    'serve',
    ...OPTIONS,
    ...(front === 'stdio' ? ['--stdio'] : ['--port', '0']),
    ...SERVERS[server],
  );
  const { child, ended, until } = running;
  closing.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const received: Message[] = [];
  let url = '';
  if (front === 'http') url = / on (http\S+)/.exec(await until('stdout', /Press Ctrl-C/))?.[1] ?? '';
  else createInterface({ input: child.stdout }).on('line', (line) => received.push(JSON.parse(line)));
  let id = 0;
  const send = (method: string, given: Record<string, unknown>): number => {
    const message = { jsonrpc: '2.0', id: ++id, method, params: { ...given, _meta } };
    if (front === 'stdio') child.stdin.write(`${JSON.stringify(message)}\n`);
    else void post(message, given.name ?? given.taskId);
    return id;
  };
  const post = async (message: Message, name: unknown): Promise<void> => {
    const { body } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': message.method,
        ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      },
      body: JSON.stringify(message),
    });
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) received.push(JSON.parse(line.slice(6)));
    }
    if (text.startsWith('{')) received.push(JSON.parse(text));
  };
  const answerTo = async (sent: number): Promise<Message> => {
    await expect.poll(() => received.some((each) => each.id === sent)).toBe(true);
    return received.find((each) => each.id === sent);
  };
  const ask = async (method: string, given: Record<string, unknown>) => answerTo(send(method, given));
  const told = (method: string): Message[] => received.filter((each) => each.method === method);
  const listen = async (notifications: object): Promise<number> => {
    const sent = send('subscriptions/listen', { notifications });
    await expect.poll(() => told(ACKNOWLEDGED).length).toBeGreaterThan(0);
    return sent;
  };
  return { ask, answerTo, listen, told };
}

describe.each([
  ['http', 'module'],
  ['stdio', 'module'],
  ['http', 'command'],
  ['stdio', 'command'],
] as const)('a host of 2026-07-28 over %s, at a %s with tasks', (front, server) => {
  it('is told of its task until it ends, and then the stream ends', async () => {
    const host = await connect(front, server);
    const { taskId } = (await host.ask('tools/call', { name: 'late', arguments: {} })).result;
    const unknown = `${taskId.slice(0, -4)}0000`;
    const sent = await host.listen({ taskIds: [taskId, unknown] });
    expect(host.told(ACKNOWLEDGED)).toMatchObject([{ params: { notifications: { taskIds: [taskId] } } }]);
    const statuses = () => host.told('notifications/tasks').map(({ params }) => params.status);
    await expect.poll(statuses).toContain('input_required');
    const answer = { action: 'accept', content: { name: 'Ann' } };
    await host.ask('tasks/update', { taskId, inputResponses: { who: answer } });
    expect(await host.answerTo(sent)).toMatchObject({ result: { resultType: 'complete' } });
    expect(host.told('notifications/tasks').at(-1)?.params).toMatchObject({
      taskId,
      status: 'completed',
      result: { content: [{ text: 'asked Ann' }] },
      _meta: { 'io.modelcontextprotocol/subscriptionId': sent },
    });
  });

  it('is told of its task and of changed lists on one stream, which goes on after the task', async () => {
    const host = await connect(front, server);
    const { taskId } = (await host.ask('tools/call', { name: 'late', arguments: {} })).result;
    await host.listen({ taskIds: [taskId], toolsListChanged: true });
    expect(host.told(ACKNOWLEDGED)).toMatchObject([
      { params: { notifications: { taskIds: [taskId], toolsListChanged: true } } },
    ]);
    await host.ask('tasks/cancel', { taskId });
    await expect.poll(() => host.told('notifications/tasks').at(-1)?.params.status).toBe('cancelled');
    await host.ask('tools/call', { name: 'change', arguments: {} });
    await expect.poll(() => host.told('notifications/tools/list_changed').length).toBe(1);
  });
});
