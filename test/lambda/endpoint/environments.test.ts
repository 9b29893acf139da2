import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inMeta, post } from '../../clients.js';
import { type LocalDynamo, PATIENT, startDynamo } from '../../session/dynamo.js';
import { type Environments, startEnvironments } from './environments.js';

const CLIENTS = 20;
/** Per client: two calls at the start, an update and a list per turn, and a list at the end. That is 420 calls in all. */
const TURNS = 9;
/** Each shows different tools. */
const PREFERENCES = [
  { security: 'high', cost: 'minimal' },
  { security: 'high', cost: 'moderate' },
  { security: 'low', access: 'read' },
  { environment: 'production', access: 'write' },
];
const preferencesOf = (turn: number): Record<string, string> =>
  PREFERENCES[turn % PREFERENCES.length] as Record<string, string>;

let dynamo: LocalDynamo;
let environments: Environments;

beforeAll(async () => {
  dynamo = await startDynamo();
  const table = {
    MCP_CONCERNS_TABLE: await dynamo.table(),
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    POWERTOOLS_LOG_LEVEL: 'WARN',
  };
  environments = await startEnvironments(
    table,
    { memory: { MCP_CONCERNS_SESSIONS: 'memory' }, none: { MCP_CONCERNS_SESSIONS: 'none' } },
    PATIENT,
  );
});
afterAll(async () => {
  await environments?.close();
  await dynamo?.close();
});

let calls = 0;
let retries = 0;
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
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
    concerns: preferencesOf(0),
  },
};
const list = { id: 1, method: 'tools/list' };

/** Switches as a client does that is told to try again: on a busy machine the store may be too slow for a function. */
async function update(url: string, concerns: object, session: Record<string, string>): Promise<void> {
  for (;;) {
    const switched = await call(url, { id: 2, method: 'updateConcerns', params: { concerns } }, session);
    const answer = await switched.text();
    if (answer.includes('"result"')) return;
    if (!answer.includes('Try again.')) throw new Error(answer);
    retries++;
  }
}

describe('many environments with one table', () => {
  it('agree on the last preferences of each of 20 clients, over 420 calls', async () => {
    const url = environments.url();
    const expected = await Promise.all(
      PREFERENCES.map(async (each) => toolsOf(await call(url, { ...list, params: inMeta(each) }))),
    );
    expect(new Set(expected).size).toBe(PREFERENCES.length);
    calls = 0;

    const stale: string[] = [];
    const client = async (number: number, running: () => void): Promise<void> => {
      const opened = await call(url, initialize);
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      await call(url, { method: 'notifications/initialized' }, session);
      for (let turn = 0; turn < TURNS; turn++) {
        const [listed] = await Promise.all([
          call(url, list, session),
          update(url, preferencesOf(turn + 1), session),
        ]);
        const shown = await toolsOf(listed);
        // The list runs concurrently with the update, so it may follow the preferences before or after it.
        const allowed = [expected[turn % PREFERENCES.length], expected[(turn + 1) % PREFERENCES.length]];
        if (!allowed.includes(shown)) stale.push(`client ${number}, turn ${turn}: ${shown}`);
        if (turn === 1) running();
      }
      expect(await toolsOf(await call(url, list, session))).toBe(expected[TURNS % PREFERENCES.length]);
    };
    // Clients start one after the other, because dozens of concurrent cold starts would overload the machine.
    const clients: Promise<void>[] = [];
    for (let number = 0; number < CLIENTS; number++) {
      await new Promise<void>((resolve, reject) => {
        clients.push(client(number, resolve));
        clients[number]?.catch(reject);
      });
    }
    await Promise.all(clients);
    expect(stale).toEqual([]);
    expect(calls - retries).toBe(CLIENTS * (2 + 2 * TURNS + 1));
    // Two calls of each client run at the same time, so there are several environments, each with an AWS client of its own. How
    // many, the machine decides.
    expect(dynamo.connections()).toBeGreaterThan(1);
    const lines = environments.output().split('\n');
    const troubles = lines.filter((line) => /"level":"(WARN|ERROR)"/.test(line));
    // Nothing but what was tried again: the store was too slow for a function.
    expect(troubles.filter((line) => !line.includes('store-unavailable'))).toEqual([]);
    expect(retries > 0 || troubles.length === 0).toBe(true);
  });
});

describe('environments that keep sessions in memory', () => {
  it('warn at the start that preferences are not shared', async () => {
    const warning =
      /"level":"WARN","message":"Sessions are kept in the memory of this environment[^"]*do not have their preferences/;
    expect(environments.output()).not.toMatch(warning);
    await call(environments.url('memory'), list);
    await expect.poll(() => environments.output()).toMatch(warning);
  });
});

describe('environments without a store', () => {
  const preferences = { security: 'high', cost: 'minimal' };
  const count = async (response: Response): Promise<number> => (await toolsOf(response)).split(' ').length;

  it.each([
    ['the URL', '?concerns=security:high,cost:minimal', {}, {}],
    ['the header', '', {}, { 'Mcp-Concerns': 'security=high, cost=minimal' }],
    ['_meta', '', { params: inMeta(preferences) }, {}],
  ])('filter by %s', async (_where, query, params, headers) => {
    const url = `${environments.url('none')}${query}`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call(url, { ...list, ...params }, headers).then(count)),
    );
    expect(answers).toEqual([9, 9, 9, 9]);
  });

  it('answer an update with an error', async () => {
    const update = { id: 2, method: 'updateConcerns', params: { concerns: preferences } };
    expect(await (await call(environments.url('none'), update)).text()).toContain(
      'this endpoint keeps no preferences of yours',
    );
  });
});
