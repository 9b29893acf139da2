import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { inMeta, post } from './clients.js';
import { type Environments, startEnvironments } from './environments.js';

const CLIENTS = 20;
/** Two calls to begin with, then an update and a list a turn: 2,000 calls in all. */
const TURNS = 49;
/** Each shows something else. */
const WISHES = [
  { security: 'high', cost: 'minimal' },
  { security: 'high', cost: 'moderate' },
  { security: 'low', access: 'read' },
  { environment: 'production', access: 'write' },
];
const wishOf = (turn: number): Record<string, string> =>
  WISHES[turn % WISHES.length] as Record<string, string>;

let dynamo: LocalDynamo;
let environments: Environments;
// On a loaded machine it takes a minute and more; alone, a third of that.
const PATIENCE = 240_000;

beforeAll(async () => {
  dynamo = await startDynamo();
  const table = {
    MCP_CONCERNS_TABLE: await dynamo.table(),
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    POWERTOOLS_LOG_LEVEL: 'WARN',
  };
  environments = await startEnvironments(table, {
    memory: { MCP_CONCERNS_SESSIONS: 'memory' },
    none: { MCP_CONCERNS_SESSIONS: 'none' },
  });
}, PATIENCE);
afterAll(async () => {
  await environments?.close();
  await dynamo?.close();
});

let calls = 0;
async function call(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  calls += 1;
  const response = await post(url, { jsonrpc: '2.0', ...body }, headers);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}
async function toolsOf(response: Response): Promise<string> {
  const answer = (await response.json()) as { result: { tools: { name: string }[] } };
  return answer.result.tools.map(({ name }) => name).join(' ');
}
const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const list = { id: 1, method: 'tools/list' };

describe('many environments with one table', { timeout: PATIENCE }, () => {
  it('agree on what each of 20 clients asked for last, over 2,000 calls', async () => {
    const url = environments.url();
    const expected = await Promise.all(
      WISHES.map(async (wish) => toolsOf(await call(url, { ...list, params: inMeta(wish) }))),
    );
    expect(new Set(expected).size).toBe(WISHES.length);
    calls = 0;

    const stale: string[] = [];
    const client = async (number: number, running: () => void): Promise<void> => {
      const opened = await call(url, initialize);
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      await call(url, { method: 'notifications/initialized', params: { concerns: wishOf(0) } }, session);
      for (let turn = 0; turn < TURNS; turn++) {
        const update = { id: 2, method: 'updateConcerns', params: { concerns: wishOf(turn + 1) } };
        const [shown, updated] = await Promise.all([
          call(url, list, session).then(toolsOf),
          call(url, update, session).then((response) => response.text()),
        ]);
        if (!updated.includes('"result"')) throw new Error(updated);
        // The update of this turn is under way: the list shows that of the turn before, or already this one.
        const allowed = [expected[turn % WISHES.length], expected[(turn + 1) % WISHES.length]];
        if (!allowed.includes(shown)) stale.push(`client ${number}, turn ${turn}: ${shown}`);
        if (turn === 1) running();
      }
    };
    // One begins after the other: dozens of cold starts at once would take all there is of this machine.
    const clients: Promise<void>[] = [];
    for (let number = 0; number < CLIENTS; number++) {
      await new Promise<void>((resolve, reject) => {
        clients.push(client(number, resolve));
        clients[number]?.catch(reject);
      });
    }
    await Promise.all(clients);
    expect(stale).toEqual([]);
    expect(calls).toBe(2000);
    // Each environment has a client of its own, and so at least one connection.
    expect(dynamo.connections()).toBeGreaterThan(10);
    expect(environments.output()).not.toMatch(/"level":"(WARN|ERROR)"/);
  });
});

describe('environments that keep sessions in memory', () => {
  it('warn when they start that preferences will not be shared', async () => {
    const warning =
      /"level":"WARN","message":"Sessions are kept in the memory of this environment[^"]*not share/;
    expect(environments.output()).not.toMatch(warning);
    await call(environments.url('memory'), list);
    await expect.poll(() => environments.output()).toMatch(warning);
  });
});

describe('environments without a store', () => {
  const wish = { security: 'high', cost: 'minimal' };
  const count = async (response: Response): Promise<number> => (await toolsOf(response)).split(' ').length;

  it.each([
    ['the URL', '?concerns=security:high,cost:minimal', {}, {}],
    ['the header', '', {}, { 'Mcp-Concerns': 'security=high, cost=minimal' }],
    ['_meta', '', { params: inMeta(wish) }, {}],
  ])('follow %s', async (_where, query, params, headers) => {
    const url = `${environments.url('none')}${query}`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call(url, { ...list, ...params }, headers).then(count)),
    );
    expect(answers).toEqual([9, 9, 9, 9]);
  });

  it('say that there is nothing to update', async () => {
    const update = { id: 2, method: 'updateConcerns', params: { concerns: wish } };
    expect(await (await call(environments.url('none'), update)).text()).toContain('There is no session');
  });
});
