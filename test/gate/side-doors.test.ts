import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Policy } from '../../src/core/engine/policy.js';
import { EXTENSION_ID, type Message, read } from '../../src/core/wire/messages.js';
import { Harness, LIST_KEYS, policyOf } from './gate-harness.js';

const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  tools: { secret: { tier: pro }, open: { tier: free }, unlisted: { tier: pro }, alias: { tier: free } }
  resources: { "r://secret": { tier: pro } }
RULES
settings: { enforcement: MODE }
`;
const policyIn = (mode: string, rules = ''): Policy =>
  policyOf(POLICY.replace('MODE', mode).replace('RULES', rules));
const enforce = policyIn('enforce');

const LISTS = {
  'tools/list': [{ name: 'secret' }, { name: 'open' }, { name: 'unmapped' }],
  'prompts/list': [{ name: 'p' }],
  'resources/list': [
    { uri: 'r://secret', name: 's' },
    { uri: 'r://open', name: 'o' },
  ],
  'resources/templates/list': [],
};
const serving = (policy = enforce, lists: Record<string, object[]> = LISTS): Harness =>
  new Harness(policy).serve(lists);

/** The methods that the server was asked for. */
const asked = ({ toServer }: Harness): unknown[] => toServer.map((message) => read(message, 'method'));
const calledNames = ({ toServer }: Harness): unknown[] =>
  toServer.flatMap((message) =>
    read(message, 'method') === 'tools/call' ? [read(message, 'params', 'name')] : [],
  );
const notification = (method: string, params: object) => ({ jsonrpc: '2.0', method, params });

afterEach(() => {
  vi.useRealTimers();
});

describe('a tool that the server does not list', () => {
  it.each([
    ['hidden', 'never-heard-of'],
    ['hidden', 'unlisted'],
    ['shown', 'alias'],
    ['shown', 'unmapped'],
  ])('is %s under unmapped: show: %s', (what, name) => {
    const harness = serving();
    harness.request(1, 'tools/call', { name });
    expect(calledNames(harness)).toEqual(what === 'shown' ? [name] : [expect.stringMatching(/^unknown-/)]);
  });

  it('is looked for again in a list that was read more than a second ago', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const lists: Record<string, object[]> = { ...LISTS };
    const harness = serving(enforce, lists);
    const call = (): unknown => {
      harness.request(harness.toServer.length, 'tools/call', { name: 'added' });
      return calledNames(harness).at(-1);
    };
    expect(call()).toMatch(/^unknown-/);
    lists['tools/list'] = [...LISTS['tools/list'], { name: 'added' }];
    vi.setSystemTime(Date.now() + 900);
    expect(call()).toMatch(/^unknown-/);
    vi.setSystemTime(Date.now() + 200);
    expect(call()).toBe('added');
    expect(asked(harness).filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  it('keeps the old list if the server fails to list again', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const harness = serving();
    harness.request(1, 'tools/call', { name: 'unmapped' });
    vi.setSystemTime(Date.now() + 61_000);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message) || LIST_KEYS[message.method] === undefined) return;
      void harness.server({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'down' } });
    };
    for (const id of [2, 3]) harness.request(id, 'tools/call', { name: 'unmapped' });
    expect(calledNames(harness)).toEqual(['unmapped', 'unmapped', 'unmapped']);
    expect(asked(harness).filter((method) => method === 'tools/list')).toHaveLength(2);
  });
});

describe('a tool whose exact entry values every concern in effect', () => {
  it('runs without a list', () => {
    const harness = serving();
    harness.request(1, 'tools/call', { name: 'open' });
    expect(asked(harness)).toEqual(['tools/call']);
  });

  it.each(['secret', 'never-heard-of'])('takes as long as an unknown one if it is hidden: %s', (name) => {
    const harness = serving();
    harness.request(1, 'tools/call', { name });
    // The lists after the call are for the answer.
    expect(asked(harness).slice(0, 2)).toEqual(['tools/list', 'tools/call']);
  });

  it.each([
    ['{ "===": [{ var: primitive.name }, x] }', false],
    ['{ "===": [{ var: primitive.annotations.readOnlyHint }, false] }', true],
    ['{ missing: [primitive.title] }', true],
  ])('needs the list only if a rule reads more than its name: %s', (when, needed) => {
    const rules = `rules: [{ id: r, hide: [tools], when: ${when} }]`;
    const harness = serving(policyIn('enforce', rules), { 'tools/list': [{ name: 'open', title: 'Open' }] });
    harness.request(1, 'tools/call', { name: 'open' });
    expect(asked(harness).includes('tools/list')).toBe(needed);
    expect(calledNames(harness)).toEqual(['open']);
  });

  it('needs the list for a name without an entry', () => {
    const harness = serving();
    harness.request(1, 'tools/call', { name: 'unmapped' });
    expect(asked(harness)).toEqual(['tools/list', 'tools/call']);
  });
});

describe('the instructions of a server', () => {
  const initialize = (policy: Policy, lists: boolean): unknown => {
    const harness = new Harness(policy);
    if (lists) {
      harness.serve(LISTS);
      for (const method of Object.keys(LISTS)) harness.request(method, method);
    }
    harness.onServer = (message) => {
      if (!('id' in message) || !('method' in message)) return;
      const capabilities = { tools: {}, resources: {} };
      const result = { capabilities, instructions: 'Use open. Never use secret or unlisted.' };
      void harness.server({ jsonrpc: '2.0', id: message.id, result });
    };
    harness.request(1, 'initialize', {});
    const [answer] = harness.answers(1);
    const withheld = harness.reports.some(({ warnings = [] }) =>
      warnings.some(({ code }) => code === 'instructions-withheld'),
    );
    return withheld ? 'withheld' : read(answer, 'result', 'instructions');
  };

  it('are withheld until the lists are held, and then redacted', () => {
    expect(initialize(enforce, false)).toBe('withheld');
    expect(initialize(enforce, true)).toBe('Use open. Never use [hidden] or [hidden].');
  });

  it('pass if nothing can be hidden, or nothing is enforced', () => {
    const nothing = policyOf('concerns: { a: { values: [x, y] } }\nsettings: { enforcement: enforce }\n');
    expect(initialize(nothing, false)).toContain('secret');
    expect(initialize(policyIn('advisory'), false)).toContain('secret');
  });

  it('are redacted in server/discover, whose server can list at once', () => {
    const harness = serving();
    const answerLists = harness.onServer;
    harness.onServer = (message) => {
      if (read(message, 'method') !== 'server/discover') return answerLists(message);
      const result = { capabilities: { tools: {} }, instructions: 'secret, open' };
      void harness.server({ jsonrpc: '2.0', id: read(message, 'id'), result });
    };
    harness.request(1, 'server/discover');
    expect(read(harness.answers(1)[0], 'result', 'instructions')).toBe('[hidden], open');
  });
});

describe('what a server sends by itself', () => {
  const sent = async (policy: Policy, method: string, params: object, before?: object): Promise<unknown> => {
    const harness = serving(policy);
    if (before !== undefined) harness.client(before);
    harness.toClient.length = 0;
    await harness.server(notification(method, params));
    return read(harness.toClient.at(-1), 'params');
  };

  it.each([
    ['notifications/message', { level: 'info', data: { secret: ['r://secret', 'open'] } }],
    ['notifications/progress', { progressToken: 1, message: 'Runs secret on r://secret' }],
    ['notifications/tasks/status', { taskId: 'secret', statusMessage: 'secret' }],
    ['notifications/cancelled', { requestId: 9, reason: 'secret failed' }],
  ])('names nothing that an entry hides, before any request: %s', async (method, params) => {
    const text = JSON.stringify(await sent(enforce, method, params)).replace('"taskId":"secret"', '');
    expect(text).toContain('[hidden]');
    expect(text).not.toContain('secret');
    expect(await sent(policyIn('advisory'), method, params)).toEqual(params);
  });

  it('names nothing that only a list knows to be hidden', async () => {
    const rules = 'rules: [{ id: r, hide: [tools], when: { "===": [{ var: primitive.name }, unmapped] } }]';
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const params = { level: 'info', data: 'unmapped, open' };
    expect(await sent(policyIn('enforce', rules), 'notifications/message', params, list)).toEqual({
      level: 'info',
      data: '[hidden], open',
    });
  });

  it('offers no hidden tool for sampling', async () => {
    const harness = serving();
    const tools = ['secret', 'unlisted', 'open', 'of-its-own'].map((name) => ({ name }));
    await harness.server({ jsonrpc: '2.0', id: 5, method: 'sampling/createMessage', params: { tools } });
    expect(read(harness.toClient[0], 'params', 'tools')).toEqual([{ name: 'open' }, { name: 'of-its-own' }]);
  });

  it('is redacted by the preferences of the request in flight', async () => {
    const host = policyOf(`
concerns: { security: { values: [low, high] } }
primitives: { tools: { secret: { security: low }, open: { security: high } } }
settings: { enforcement: enforce }
`);
    const harness = new Harness(host);
    const _meta = { [EXTENSION_ID]: { concerns: { security: 'high' } } };
    const log = notification('notifications/message', { data: 'secret' });
    harness.request(1, 'tools/call', { name: 'open', _meta });
    await harness.server(log);
    await harness.server({ jsonrpc: '2.0', id: read(harness.toServer[0], 'id'), result: { content: [] } });
    await harness.server(log);
    const data = (message: Message): unknown => read(message, 'params', 'data');
    expect(harness.toClient.map(data)).toEqual(['[hidden]', undefined, 'secret']);
  });

  it('confirms no hidden name to a request that waits for lists, and that the server has not received', async () => {
    const harness = new Harness(enforce);
    harness.request(1, 'resources/read', { uri: 'r://secret' });
    expect(asked(harness)).not.toContain('resources/read');
    await harness.server(notification('notifications/message', { data: 'Use r://secret now' }));
    expect(read(harness.toClient.at(-1), 'params', 'data')).toBe('Use [hidden] now');
  });

  it('repeats the name that a request in flight names, as it does for one that nothing has', async () => {
    for (const uri of ['secret', 'unknown']) {
      const harness = serving();
      harness.request(1, 'resources/list');
      harness.request(2, 'resources/templates/list');
      harness.onServer = () => undefined;
      harness.request(3, 'resources/subscribe', { uri });
      const [known] = harness.toServer.slice(-1);
      await harness.server(notification('notifications/message', { data: `No ${uri}, unlisted` }));
      expect(read(known, 'method')).toBe('resources/subscribe');
      expect(read(harness.toClient.at(-1), 'params', 'data')).toBe(`No ${uri}, [hidden]`);
    }
  });
});

describe('a list', () => {
  const link = (resourceUri: string) => ({ _meta: { ui: { resourceUri, visibility: ['app'] }, other: 1 } });

  it('does not link its tools to hidden resources', () => {
    const tools = [
      { name: 'open', ...link('r://secret') },
      { name: 'unmapped', ...link('r://open') },
      { name: 'flat', _meta: { 'ui/resourceUri': 'r://secret' } },
    ];
    const harness = serving(enforce, { ...LISTS, 'tools/list': tools });
    harness.request(1, 'tools/list');
    expect(read(harness.answers(1)[0], 'result', 'tools')).toEqual([
      { name: 'open', _meta: { ui: { visibility: ['app'] }, other: 1 } },
      { name: 'unmapped', ...link('r://open') },
      { name: 'flat', _meta: {} },
    ]);
  });

  it.each(['enforce', 'advisory'])(
    'warns only of values of tools that are shown under %s; the log has all',
    (mode) => {
      const own = (tier: string) => ({ _meta: { concerns: { tier } } });
      const tools = [
        { name: 'secret', ...own('of-secret') },
        { name: 'open', ...own('of-open') },
      ];
      const harness = serving(policyIn(mode), { ...LISTS, 'tools/list': tools });
      harness.request(1, 'tools/list');
      const answer = JSON.stringify(harness.answers(1));
      expect(answer).toContain('of-open');
      expect(answer).not.toContain('of-secret');
      expect(JSON.stringify(harness.reports)).toContain('of-secret');
    },
  );

  it('does not say which concern emptied it, except under advisory', () => {
    const warnings = (mode: string): string => {
      const harness = serving(policyIn(mode), { ...LISTS, 'tools/list': [{ name: 'secret' }] });
      harness.request(1, 'tools/list');
      expect(JSON.stringify(harness.reports)).toContain('tier hides most of them');
      return JSON.stringify(harness.answers(1));
    };
    expect(warnings('enforce')).not.toContain('empty-list');
    expect(warnings('advisory')).toContain('tier hides most of them');
  });

  it('does not name what is hidden in the error that the server answered instead', () => {
    const harness = new Harness(enforce);
    harness.onServer = (message) => {
      if (!('id' in message)) return;
      const error = { code: -32603, message: 'secret is broken', data: { secret: 1 } };
      void harness.server({ jsonrpc: '2.0', id: message.id, error });
    };
    for (const [id, method] of ['tools/list', 'ping', 'initialize', 'server/discover'].entries()) {
      harness.request(id, method);
      expect(read(harness.answers(id)[0], 'error'), method).toEqual({
        code: -32603,
        message: '[hidden] is broken',
        data: { '[hidden]': 1 },
      });
    }
  });
});

describe('shadow', () => {
  const shadow = policyIn('shadow');

  it.each([
    ['secret', true],
    ['never-heard-of', true],
    ['open', false],
    ['unmapped', false],
  ])('reports a call of %s as enforce would, and passes it as it is', (name, isRefused) => {
    const [passed, checked] = [serving(shadow), serving(enforce)];
    for (const harness of [passed, checked]) harness.request(1, 'tools/call', { name, arguments: {} });
    expect(passed.reports.map(({ refused }) => refused)).toEqual([isRefused ? 'tools/call' : undefined]);
    const withoutPlaces = (harness: Harness): string =>
      JSON.stringify(harness.reports).replaceAll(/"[^"]*policy.yaml:/g, '"');
    expect(withoutPlaces(passed)).toBe(withoutPlaces(checked));
    expect(calledNames(passed)).toEqual([name]);
  });

  it('does not change the answer', async () => {
    const harness = serving(shadow);
    harness.onServer = () => undefined;
    harness.request(1, 'tools/call', { name: 'open' });
    const error = { code: 1, message: 'secret' };
    await harness.server({ jsonrpc: '2.0', id: read(harness.toServer[0], 'id'), error });
    expect(harness.answers(1)).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
  });
});

describe('a request that passed by', () => {
  it('leaves no room for another answer after it was cancelled', async () => {
    const harness = new Harness(policyIn('advisory'));
    harness.request(1, 'ping');
    harness.client(notification('notifications/cancelled', { requestId: 1 }));
    harness.live.replace(enforce);
    await harness.server({ jsonrpc: '2.0', id: 'stray', result: { tools: [{ name: 'secret' }] } });
    expect(harness.toClient).toEqual([]);
    await harness.server({ jsonrpc: '2.0', id: 1, result: {} });
    expect(harness.toClient).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('is forgotten after a thousand others', async () => {
    const harness = new Harness(policyIn('advisory'));
    for (let id = 0; id <= 1000; id++) harness.request(id, 'ping');
    harness.live.replace(enforce);
    for (const id of [0, 1, 1000]) await harness.server({ jsonrpc: '2.0', id, result: {} });
    expect(harness.toClient.map((message) => read(message, 'id'))).toEqual([1, 1000]);
  });
});
