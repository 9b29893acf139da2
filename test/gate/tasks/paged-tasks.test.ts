import { describe, expect, it } from 'vitest';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, type Message, read } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const BODY = `
concerns: { level: { values: [low, high] } }
primitives: { tools: { work: { level: high }, secret: { level: low } } }
`;
const CHANGED = 'The list changed, so the cursor is not valid any more. List again without a cursor.';
const HIGH = { [EXTENSION_ID]: { concerns: { level: 'high' } } };

interface Listed {
  readonly ids: unknown[];
  readonly next: unknown;
  readonly error: unknown;
  readonly meta: unknown;
}

/** Calls the gate in one session, over a server whose tasks the test changes. */
class Session extends Harness {
  tasks: { taskId: string; createdAt: string; lastUpdatedAt: string }[] = [];
  perPage = 1_000;
  private lastId = 0;

  static async open(settings = ''): Promise<Session> {
    const store = createMemoryStore();
    await store.update('s', { listChanged: [] });
    const preferences: SessionPreferences = { place: 'store', store, id: 's' };
    const session = new Session(policyOf(`${BODY}${settings}`), preferences);
    session.onServer = (message) => session.answer(message);
    return session;
  }

  private answer(message: Message): void {
    if (!('method' in message) || !('id' in message)) return;
    const { id, method, params } = message;
    const from = Number(params?.cursor ?? 0);
    const to = from + this.perPage;
    const nextCursor = to < this.tasks.length ? { nextCursor: String(to) } : {};
    const results: Record<string, object> = {
      'tools/list': { tools: [{ name: 'work' }, { name: 'secret' }] },
      'tools/call': { task: { taskId: this.tasks.at(-1)?.taskId } },
      'tasks/list': { tasks: this.tasks.slice(from, to), ...nextCursor },
      'tasks/get': { taskId: params?.taskId },
    };
    void this.server({ jsonrpc: '2.0', id, result: results[method] ?? {} });
  }

  async ask(method: string, params: object): Promise<Message> {
    const id = ++this.lastId;
    this.request(id, method, params);
    await expect.poll(() => this.answers(id).length).toBe(1);
    return this.answers(id)[0] as Message;
  }

  /** Creates tasks that are updated in their order. */
  async create(count: number, tool = 'work'): Promise<void> {
    for (let made = 0; made < count; made++) {
      const index = this.tasks.length;
      const at = new Date(1_000 * index).toISOString();
      this.tasks.push({ taskId: `task-${index}`, createdAt: at, lastUpdatedAt: at });
      await this.ask('tools/call', { name: tool, task: {} });
    }
  }

  async list(params: object = {}): Promise<Listed> {
    const message = await this.ask('tasks/list', params);
    const tasks = read(message, 'result', 'tasks');
    return {
      ids: Array.isArray(tasks) ? tasks.map((task) => read(task, 'taskId')) : [],
      next: read(message, 'result', 'nextCursor'),
      error: read(message, 'error'),
      meta: read(message, 'result', '_meta', EXTENSION_ID),
    };
  }
}

const PAGES = 'settings: { page-size: 2 }';

describe('a cursor of tasks/list', () => {
  it('stays valid when a task is added, and skips none', async () => {
    const session = await Session.open(PAGES);
    await session.create(4);
    for (const params of [{}, { order: 'asc' }, { order: 'desc' }]) {
      const first = await session.list(params);
      const before = session.tasks.map(({ taskId }) => taskId);
      await session.create(1);
      const seen = [...first.ids];
      for (let { next } = first; next !== undefined; ) {
        const page = await session.list({ ...params, cursor: next });
        expect(page.error).toBeUndefined();
        seen.push(...page.ids);
        next = page.next;
      }
      expect(before.filter((id) => !seen.includes(id))).toEqual([]);
    }
  });

  it('skips none when the last task of a page is updated, if the client orders the list', async () => {
    for (const order of ['asc', 'desc']) {
      const session = await Session.open(PAGES);
      await session.create(5);
      const first = await session.list({ order });
      const last = session.tasks.find(({ taskId }) => taskId === first.ids.at(-1));
      if (last !== undefined) last.lastUpdatedAt = new Date(1_000_000).toISOString();
      const second = await session.list({ order, cursor: first.next });
      expect(second.ids).toEqual(order === 'asc' ? ['task-2', 'task-3'] : ['task-2', 'task-1']);
    }
  });

  it('is not valid any more when the last task of its page is removed', async () => {
    const session = await Session.open(PAGES);
    await session.create(3);
    const { next } = await session.list();
    session.tasks.splice(1, 1);
    expect((await session.list({ cursor: next })).error).toEqual({ code: -32602, message: CHANGED });
  });

  it('must be used with the same filter', async () => {
    const session = await Session.open(PAGES);
    await session.create(3);
    const { next } = await session.list({ order: 'asc' });
    const message = 'Filter parameters must not change between paginated requests';
    expect((await session.list({ order: 'desc', cursor: next })).error).toEqual({ code: -32602, message });
    expect((await session.list({ cursor: 'of the server' })).error).toMatchObject({ code: -32602 });
  });
});

describe('a list of more than 100 pages', () => {
  it('is filtered as a whole', async () => {
    const session = await Session.open();
    session.perPage = 1;
    await session.create(100);
    await session.create(1, 'secret');
    await session.create(2);
    const { ids, meta } = await session.list({ _meta: HIGH });
    expect(meta).not.toHaveProperty('warnings');
    expect(ids).toHaveLength(102);
    expect(ids).not.toContain('task-100');
    expect(ids).toContain('task-102');
  });
});

describe('a task of the extension of 2026-07-28', () => {
  it('is remembered, with its maker', async () => {
    const harness = new Harness(policyOf(BODY), { place: 'none' });
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const result = { resultType: 'task', taskId: 'flat', status: 'working' };
      void harness.server({ jsonrpc: '2.0', id: message.id, result });
    };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const from = (sub: string) => ({
      http: {},
      claims: new Map([
        ['iss', 'issuer'],
        ['sub', sub],
      ]),
    });
    const ask = (id: number, method: string, params: object, sub: string) =>
      harness.client({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, from(sub));
    ask(1, 'tools/call', { name: 'work' }, 'alice');
    ask(2, 'tasks/get', { taskId: 'flat' }, 'alice');
    ask(3, 'tasks/get', { taskId: 'flat' }, 'bob');
    ask(4, 'tasks/get', { taskId: ['flat'] }, 'alice');
    const received = harness.toServer
      .filter((message) => read(message, 'method') === 'tasks/get')
      .map((message) => read(message, 'params', 'taskId'));
    expect(received).toEqual(['flat', expect.not.stringContaining('flat')]);
    expect(harness.answers(4)).toMatchObject([{ error: { code: -32602 } }]);
  });
});
