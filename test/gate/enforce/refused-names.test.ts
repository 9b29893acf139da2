import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uriVariantsOf } from '../../../src/core/gate/enforce/uri-variants.js';
import { MAX_URI } from '../../../src/core/gate/enforce/visibility.js';
import { growth, LINEAR, timeRatio } from '../../growth.js';
import { sample } from '../../sample.js';
import { Harness, LIST_KEYS, policyOf } from '../gate-harness.js';

const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  tools: { secret: { tier: pro }, unlisted: { tier: pro } }
  prompts: { secret: { tier: pro } }
  resources: { "r://secret": { tier: pro }, "file:///a/secret%20b": { tier: pro } }
  resourceTemplates: { "t://{id}": { tier: pro } }
settings: { enforcement: enforce }
`;
const policy = policyOf(POLICY);

const LISTS = {
  'tools/list': [{ name: 'secret' }, { name: 'open' }],
  'prompts/list': [{ name: 'secret' }, { name: 'open' }],
  'resources/list': [
    { uri: 'r://secret', name: 's' },
    { uri: 'R://Open', name: 'o' },
    { uri: 'f://open', name: 'f' },
  ],
  'resources/templates/list': [
    { uriTemplate: 't://{id}', name: 't' },
    { uriTemplate: 'file:///{+path}', name: 'f' },
  ],
};

/** The names and URIs that the server received. */
function received(harness: Harness): unknown[] {
  return harness.toServer.flatMap((message) =>
    'method' in message && LIST_KEYS[message.method] === undefined
      ? [message.params?.name ?? message.params?.uri]
      : [],
  );
}

describe('a variant of the URI of a hidden resource', () => {
  it.each([
    'R://secret',
    ' r://secret ',
    'r://sec\nret',
    'r://secret\t',
    't://7',
    'T://7',
    't://7?x',
    't://7#x',
    't://%37',
    'file:///a/secret%20b',
    'file:///a/secret b',
    'file:///a/%73ecret%20b',
    'file:///a/x/../secret%20b',
    'FILE:///a/secret%20b',
    'file:/a/secret%20b',
    'file:\\\\\\a\\secret b',
    'file:///a%2Fsecret%20b',
    'file://localhost/a/secret b',
    'file:%5C%5C/a/secret b',
    'file:/%09//a/secret b',
  ])('%j', (uri) => {
    for (const method of ['resources/read', 'resources/subscribe']) {
      const harness = new Harness(policy).serve(LISTS);
      harness.request(1, method, { uri });
      expect(received(harness)).not.toContain(uri);
      expect(received(harness)[0]).toMatch(/unknown[-:][0-9a-f-]{36}$/);
    }
  });

  it.each(['R://Open', 'f://open', 'file:///a/open', 'file:///a/secret', 'n://nothing'])(
    'is not confused with %j',
    (uri) => {
      const harness = new Harness(policy).serve(LISTS);
      harness.request(1, 'resources/read', { uri });
      expect(received(harness)).toEqual([uri]);
    },
  );

  it.each([
    ['segments up and down', 'file:///a/', 'x/../', 'secret%20b'],
    ['percent signs', 'FILE:///', '%41?#a', ''],
    ['tabs', 'r://', '\t', 'secret'],
  ])('is refused in linear time if it is very long: %s', async (_what, start, middle, end) => {
    // Checking all variants of these takes quadratic time.
    const reading = (length: number) => () => {
      const harness = new Harness(policy).serve(LISTS);
      harness.request(1, 'resources/read', { uri: start + middle.repeat(length / middle.length) + end });
      expect(received(harness)[0]).toMatch(/^(unknown:)?[^ ]{0,40}unknown[-:][0-9a-f-]{36}$/);
    };
    expect(await growth(reading, 500_000)).toBeLessThan(LINEAR);
  });

  it.each([
    ['segments up and down', 'file:///a/', 'x/../', 'secret%20b'],
    ['percent signs', 'FILE:///', '%41?#a', ''],
    ['tabs', 'r://', '\t', 'secret'],
  ])(
    'is decided in linear time up to the longest of which variants are checked: %s',
    async (_what, start, middle, end) => {
      const reading = (length: number) => () => {
        const harness = new Harness(policy).serve(LISTS);
        const uri = start + middle.repeat((length - start.length - end.length) / middle.length) + end;
        harness.request(1, 'resources/read', { uri });
        expect(received(harness)).toHaveLength(1);
      };
      expect(await growth(reading, MAX_URI / 8)).toBeLessThan(LINEAR);
    },
  );

  it('costs no more than another name if it is longer: its variants would take seconds', async () => {
    const long = `FILE:///${'%41?#a'.repeat(600_000)}`;
    const asking = (method: string, params: object) => () => {
      const harness = new Harness(policy).serve(LISTS);
      harness.request(1, method, params);
      expect(received(harness)[0]).toMatch(/unknown/);
    };
    expect(long.length).toBeGreaterThan(MAX_URI * 10);
    const ratio = await timeRatio(
      asking('resources/read', { uri: long }),
      asking('tools/call', { name: 'secret', arguments: { long } }),
    );
    expect(ratio).toBeLessThan(LINEAR);
  });

  it('is found for any string, the string itself first', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(uriVariantsOf(text)[0]).toBe(text);
      }),
    );
    expect(uriVariantsOf('t://%ff%zz/%e2%82%ac?')).toContain('t://%ff%zz/€%3F');
  });
});

it('hides a tool that the server does not list if the policy hides its name', () => {
  const harness = new Harness(policy).serve(LISTS);
  harness.request(1, 'tools/call', { name: 'unlisted' });
  expect(received(harness)[0]).toMatch(/^unknown-/);
});

describe('a server that cannot list its primitives', () => {
  const requests = [
    ['tools/call', { name: 'secret' }],
    ['tools/call', { name: 'open' }],
    ['prompts/get', { name: 'open' }],
    ['resources/read', { uri: 'f://open' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'open' }, argument: { name: 'x', value: '' } },
    ],
  ] as const;

  it.each(requests)('makes the gate refuse %s: %j', async (method, params) => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const failed = LIST_KEYS[message.method] !== undefined;
      const answer = failed ? { error: { code: -32603, message: 'down' } } : { result: { ran: true } };
      void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
    };
    harness.request(1, method, params);
    await new Promise((resolve) => setImmediate(resolve));
    const [answer] = harness.answers(1);
    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(received(harness)).not.toContain('secret');
    expect(received(harness)).not.toContain('open');
  });

  it.each([
    [-32603, 0],
    [-32601, 1],
  ])('makes the gate drop resource updates, unless it has no such list: error %d', async (code, passed) => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      void harness.server({ jsonrpc: '2.0', id: message.id, error: { code, message: 'no' } });
    };
    harness.request(1, 'ping');
    const method = 'notifications/resources/updated';
    await harness.server({ jsonrpc: '2.0', method, params: { uri: 'f://open' } });
    expect(harness.toClient.filter((message) => 'method' in message)).toHaveLength(passed);
  });

  it('has no tools and prompts if it has no list of them, but it may have resources', () => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const failed = LIST_KEYS[message.method] !== undefined;
      const answer = failed ? { error: { code: -32601, message: 'no' } } : { result: { ran: true } };
      void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
    };
    harness.request(1, 'tools/call', { name: 'open' });
    harness.request(2, 'resources/read', { uri: 'f://open' });
    expect(received(harness)).toEqual([expect.stringMatching(/^unknown-/), 'f://open']);
  });
});

describe('a list that is too long to be cached', () => {
  const meta = (level: string) => ({ _meta: { concerns: { tier: level } } });
  /** The last page itself contains the value that hides its tool, so only that page reveals it. */
  function endless(pages: number): Harness {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const key = LIST_KEYS[message.method];
      const page = Number(message.params?.cursor ?? 0);
      const items = [{ name: `n${page}`, uri: `n://${page}`, uriTemplate: `n${page}://{x}` }];
      if (page === 140)
        items.push({ name: 'late', uri: 'late://x', uriTemplate: 'late://{x}', ...meta('pro') } as never);
      const next = page + 1 < pages ? { nextCursor: String(page + 1) } : {};
      const result = key === undefined ? { ran: true } : { [key]: items, ...next };
      setImmediate(() => void harness.server({ jsonrpc: '2.0', id: message.id, result }));
    };
    return harness;
  }
  async function send(harness: Harness, method: string, params: object): Promise<object | undefined> {
    harness.request(1, method, params);
    for (let turn = 0; turn < 20_000 && harness.answers(1).length === 0; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return harness.answers(1)[0];
  }

  it.each([
    ['tools/call', { name: 'late' }, { name: 'n149' }],
    ['prompts/get', { name: 'late' }, { name: 'n149' }],
    ['resources/read', { uri: 'LATE://x' }, { uri: 'n://149' }],
  ])('is searched: %s', async (method, hidden, shown) => {
    const harness = endless(150);
    expect(await send(harness, method, hidden)).toMatchObject({ result: { ran: true } });
    expect(received(harness)[0]).toMatch(/unknown[-:][0-9a-f-]{36}$/);
    const other = endless(150);
    expect(await send(other, method, shown)).toMatchObject({ result: { ran: true } });
    expect(received(other)).toEqual(Object.values(shown));
  });

  it('refuses access if it has no end', async () => {
    for (const name of ['n3', 'late', 'nothing']) {
      const harness = endless(Number.POSITIVE_INFINITY);
      expect(await send(harness, 'tools/call', { name })).toMatchObject({ error: { code: -32603 } });
      expect(received(harness)).toEqual([]);
    }
  });

  it('is searched only once if it has no end', async () => {
    const harness = endless(Number.POSITIVE_INFINITY);
    await send(harness, 'tools/call', { name: 'n3' });
    const count = harness.toServer.length;
    expect(count).toBeGreaterThan(300);
    harness.request(2, 'tools/call', { name: 'n3' });
    expect(harness.answers(2)).toMatchObject([{ error: { code: -32603 } }]);
    expect(harness.toServer.length).toBe(count);
    // Until the server announces that the list changed.
    await harness.server({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    harness.request(3, 'tools/call', { name: 'n3' });
    expect(harness.toServer.length).toBeGreaterThan(count);
  });
});

it('passes a request immediately if nothing can be hidden', () => {
  const harness = new Harness(
    policyOf('concerns: { level: { values: [low, high] } }\nsettings: { enforcement: enforce }'),
  );
  harness.request(1, 'tools/call', { name: 'x' });
  expect(harness.toServer).toMatchObject([{ method: 'tools/call' }]);
});

describe('the answer for a hidden name', () => {
  const words = [
    'a',
    'e',
    '4',
    '-',
    'unknown',
    'Tool',
    'not',
    'found',
    'no',
    '$&',
    '.*',
    '\\',
    '"',
    '\ud800',
    'T',
  ];
  const text = (name: unknown) => `Tool ${String(name)} not found, "${String(name)}" is not a tool`;

  it('is the same as for any other name, whatever else is hidden', async () => {
    const names = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(names, async (hidden) => {
        const tools = Object.fromEntries(hidden.map((name) => [name, { tier: 'pro' }]));
        const hiding = policyOf(
          POLICY.replace(/tools: \{.*\}/, `tools: ${JSON.stringify({ ...tools, asked: { tier: 'pro' } })}`),
        );
        const say = async (name: string): Promise<unknown> => {
          const harness = new Harness(hiding);
          harness.onServer = (message) => {
            if (!('method' in message) || !('id' in message)) return;
            const listed = [...hidden, 'asked'].map((each) => ({ name: each }));
            const answer =
              message.method === 'tools/list'
                ? { result: { tools: listed } }
                : {
                    error: {
                      code: -32602,
                      message: text(message.params?.name),
                      data: [message.params?.name],
                    },
                  };
            void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
          };
          harness.request(1, 'tools/call', { name });
          await new Promise((resolve) => setImmediate(resolve));
          return harness.answers(1)[0];
        };
        const expected = JSON.stringify(await say('zzzzz')).replaceAll('zzzzz', 'asked');
        expect(JSON.stringify(await say('asked'))).toBe(expected);
      }),
      { numRuns: sample(200) },
    );
  });
});

describe('a primitive that the server does not list, under `unmapped: hide`', () => {
  const strict = policyOf(`
concerns: { tier: { values: [free, pro], set-by: operator, claim: tier, default: free } }
primitives: { tools: { unlisted: { tier: free }, open: {} }, resources: { "r://open": {}, "R://Listed": {} } }
settings: { enforcement: enforce, unmapped: hide }
`);
  const lists = {
    'tools/list': [{ name: 'open' }],
    'resources/list': [
      { uri: 'r://open', name: 'o' },
      { uri: 'R://Listed', name: 'l' },
    ],
    'resources/templates/list': [],
  };

  it.each([
    ['tools/call', { name: 'nowhere' }],
    ['resources/read', { uri: 'r://nowhere' }],
  ])('does not reach the server by %s, unless the policy maps it', (method, params) => {
    const harness = new Harness(strict).serve(lists);
    harness.request(1, method, params);
    expect(received(harness)).not.toContain(Object.values(params)[0]);
  });

  it.each([
    ['tools/call', { name: 'unlisted' }],
    ['tools/call', { name: 'open' }],
    ['resources/read', { uri: 'r://open' }],
    ['resources/read', { uri: 'R://Listed' }],
  ])('reaches the server by %s %j if the policy or a list shows it', (method, params) => {
    const harness = new Harness(strict).serve(lists);
    harness.request(1, method, params);
    expect(received(harness)).toEqual(Object.values(params));
  });
});
