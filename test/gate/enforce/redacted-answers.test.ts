import { describe, expect, it } from 'vitest';
import { growth } from '../../growth.js';
import { Harness, LIST_KEYS, policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  tools: { secret: { tier: pro }, text: { tier: pro }, content: { tier: pro }, "unlisted-secret": { tier: pro } }
  prompts: { "secret prompt": { tier: pro } }
  resources: { "r://a/secret": { tier: pro }, "r://a/vault": { tier: pro }, "r://a/Geheimnis%20x": { tier: pro } }
  resourceTemplates: { "t://secret/{id}": { tier: pro } }
settings: { enforcement: enforce }
`);

const LISTS: Record<string, object[]> = {
  'tools/list': [
    { name: 'secret' },
    { name: 'text' },
    { name: 'content' },
    { name: 'open' },
    { name: 'secret-open' },
  ],
  'prompts/list': [{ name: 'secret prompt' }, { name: 'open' }],
  'resources/list': [
    { uri: 'r://a/secret', name: 's' },
    { uri: 'r://a/vault', name: 'v' },
    { uri: 'r://a/Geheimnis%20x', name: 'x' },
    { uri: 'r://a/open', name: 'o' },
  ],
  'resources/templates/list': [
    { uriTemplate: 't://secret/{id}', name: 't' },
    { uriTemplate: 'r://{+path}', name: 'p' },
    { uriTemplate: 'r://{dir}/{name}', name: 'd' },
    { uriTemplate: 'r://a/{name*}', name: 'n' },
    { uriTemplate: 'r://a{/name}{?tag}', name: 'q' },
  ],
};

type Answer = { result: Record<string, unknown> } | { error: object };

/** Sends one request to a server that lists `LISTS`, and returns what the client receives. */
async function ask(
  method: string,
  params: object,
  serverAnswer: Answer | ((params: Record<string, unknown>) => Answer),
): Promise<Record<string, unknown>> {
  const harness = new Harness(policy);
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const items = LISTS[message.method];
    const made = typeof serverAnswer === 'function' ? serverAnswer(message.params ?? {}) : serverAnswer;
    const answer = items === undefined ? made : { result: { [LIST_KEYS[message.method] ?? '']: items } };
    void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
  };
  harness.request(1, method, params);
  await new Promise((resolve) => setImmediate(resolve));
  const [answer, ...more] = harness.answers(1);
  expect(more).toEqual([]);
  expect(answer).toBeDefined();
  // Now the lists are cached, so the response is redacted at once.
  harness.request(2, method, params);
  const [again] = harness.answers(2);
  expect(again).toBeDefined();
  expect({ ...again, id: 1 }).toEqual(answer);
  return { ...answer };
}

const call = (name: string, args: object, answer: Parameters<typeof ask>[2]) =>
  ask('tools/call', { name, arguments: args }, answer);

describe('the error of a call', () => {
  const error = {
    code: -32602,
    message: 'Unknown tool. Available: open, secret, "r://a/Geheimnis%20x", r://a/Geheimnis x',
    data: { secret: ['text', { 'the secret prompt': 'a secret-open one' }], catalog: 'secrets' },
  };

  it.each(['open', 'nothing'])(
    'has no hidden names in its message, data values and data keys: %s',
    async (name) => {
      expect(await call(name, {}, { error })).toMatchObject({
        error: {
          code: -32602,
          message: 'Unknown tool. Available: open, [hidden], "[hidden]", [hidden]',
          data: { '[hidden]': ['[hidden]', { 'the [hidden]': 'a [hidden]-open one' }], catalog: 'secrets' },
        },
      });
    },
  );

  it('is redacted if the method is not found, as far as the lists are cached', async () => {
    const answer = { error: { code: -32601, message: 'No such method for secret' } };
    expect(await call('open', {}, answer)).toMatchObject({
      error: { code: -32601, message: 'No such method for [hidden]' },
    });
  });

  it('finds names in both normalization forms', async () => {
    const accents = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: { "clé": { tier: pro }, "mot de passé": { tier: pro } } }
settings: { enforcement: enforce }
`);
    const message = 'clé, cle\u0301, mot de passe\u0301, clés';
    const harness = new Harness(accents);
    harness.onServer = (request) => {
      if (!('method' in request) || !('id' in request)) return;
      const tools = ['clé', 'mot de passe\u0301'.normalize('NFC')].map((name) => ({ name }));
      const answer =
        request.method === 'tools/list' ? { result: { tools } } : { error: { code: -32602, message } };
      void harness.server({ jsonrpc: '2.0', id: request.id, ...answer });
    };
    harness.request(1, 'tools/call', { name: 'x' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(harness.answers(1)).toMatchObject([{ error: { message: '[hidden], [hidden], [hidden], clés' } }]);
  });
});

describe('a result with isError', () => {
  it.each(['open', 'nothing'])('has no hidden names, and stays a valid result: %s', async (name) => {
    const content = [
      { type: 'text', text: 'secret: this text has no content', _meta: { secret: 1, text: 'secret' } },
      { type: 'image', data: 'secret', mimeType: 'text/plain' },
      { type: 'resource_link', uri: 'r://a/secret', name: 'secret' },
      { type: 'resource_link', uri: 'r://a/open', name: 'secret' },
    ];
    const structuredContent = { text: 'secret', secret: ['r://a/secret'] };
    const result = { isError: true, content, structuredContent };
    expect((await call(name, {}, { result })).result).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: '[hidden]: this [hidden] has no [hidden]',
          _meta: { '[hidden]': 1, text: '[hidden]' },
        },
        { type: 'image', data: 'secret', mimeType: 'text/plain' },
        { type: 'resource_link', uri: 'r://a/open', name: '[hidden]' },
      ],
      structuredContent: { '[hidden]': ['[hidden]'] },
    });
  });
});

describe('the text of a response', () => {
  const said = (name: unknown): Answer => {
    const message = `Tool ${String(name)} not found. Available: open, secret, unlisted-secret, secret prompt`;
    return { error: { code: -32602, message, data: { [String(name)]: String(name) } } };
  };
  const errorFor = async (name: string, args: object = {}): Promise<string> => {
    const answer = await call(name, args, (params) => said(params.name));
    return JSON.stringify(answer.error);
  };

  it('is equal for a hidden, an unlisted hidden and an unknown name', async () => {
    const unknown = await errorFor('nope');
    expect(unknown).toContain('Tool nope not found. Available: open, [hidden], ');
    for (const name of ['secret', 'unlisted-secret', 'text', 'not-there']) {
      expect(await errorFor(name)).toBe(unknown.replaceAll('nope', name));
    }
  });

  it('repeats the requested name as a whole, also if it contains a hidden name', async () => {
    for (const name of ['secret-open', 'get secret prompt', 'a secret']) {
      const error = await errorFor(name);
      expect(error).toContain(`Tool ${name} not found. Available: open, [hidden]`);
      expect(error).toContain(`{"${name}":"${name}"}`);
    }
  });

  it('repeats hidden names that the client wrote into the arguments, as values or keys', async () => {
    expect(await errorFor('open', { q: ['what is secret?'] })).toContain('open, secret, [hidden], [hidden]');
    expect(await errorFor('open', { 'secret prompt': 1 })).toContain('open, secret, [hidden], secret prompt');
    expect(await errorFor('open', { q: 'secrets' })).toContain('open, [hidden]');
  });

  it('does not spare the requested name because it is a name in the request', async () => {
    const uri = 'r://a/secret';
    const answer = await ask(
      'resources/read',
      { uri },
      { error: { code: -32602, message: `Try ${uri}, secret` } },
    );
    expect(answer).toMatchObject({ error: { message: 'Try [hidden], [hidden]' } });
  });

  it.each([
    ['r://a/secret', 'r://a/nope'],
    ['R://A/secret', 'R://A/nope'],
    ['r://a/b/../secret', 'r://a/b/../nope'],
  ])('is equal for a hidden and an unknown URI: %s', async (hidden, unknown) => {
    const read = async (uri: string): Promise<string> => {
      const answer = await ask('resources/read', { uri }, (params) => {
        const href = new URL(String(params.uri)).href;
        return {
          error: { code: -32602, message: `Resource ${href} (${String(params.uri)}) not found: text, a` },
        };
      });
      return JSON.stringify(answer);
    };
    expect(await read(hidden)).toBe((await read(unknown)).replaceAll('nope', 'secret'));
  });
});

describe('arguments', () => {
  const error = { code: -32602, message: 'Not for secret' };

  it.each([5_000, 100_000])('%d levels deep are answered', async (levels) => {
    let nested: unknown = 'open';
    for (let level = 0; level < levels; level++) nested = level % 2 === 0 ? [nested] : { a: nested };
    expect(await call('open', { nested }, { error })).toMatchObject({
      error: { message: 'Not for [hidden]' },
    });
    let spared: unknown = 'secret';
    for (let level = 0; level < levels; level++) spared = [spared];
    expect(await call('open', { spared }, { error })).toMatchObject({ error: { message: 'Not for secret' } });
  });

  it('are read in linear time, which does not depend on the number of hidden names', async () => {
    const args = { text: 'read hidden_tool_x of '.repeat(50_000) };
    const calling = (count: number) => {
      const harness = hiding(count);
      let id = 0;
      return async () => {
        harness.request(++id, 'tools/call', { name: 'open', arguments: args });
        await new Promise((resolve) => setImmediate(resolve));
        expect(harness.answers(id)).toMatchObject([{ error: { message: 'Not for [hidden]' } }]);
      };
    };
    // One search per name takes eight times as long for eight times as many names.
    expect(await growth(calling, 625)).toBeLessThan(4);
  });

  function hiding(count: number): Harness {
    const hidden = Array.from({ length: count }, (_, index) => `hidden_tool_${index}`);
    const many = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: ${JSON.stringify(Object.fromEntries(hidden.map((name) => [name, { tier: 'pro' }])))} }
settings: { enforcement: enforce }
`);
    const harness = new Harness(many);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const tools = [...hidden, 'open'].map((name) => ({ name }));
      const refused = { error: { code: -32602, message: 'Not for hidden_tool_7' } };
      const answer = message.method === 'tools/list' ? { result: { tools } } : refused;
      void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
    };
    return harness;
  }
});

describe('links in a successful result', () => {
  it('to hidden resources are removed, also from structured content and nested content', async () => {
    const link = (uri: string) => ({ type: 'resource_link', uri, name: 'n' });
    const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: 'secret' } });
    const result = {
      content: [
        link('r://a/secret'),
        link('R://a/secret'),
        embedded('t://secret/7'),
        embedded('r://a/open'),
        { type: 'text', text: 'secret' },
        { type: 'tool_result', content: [link('r://a/secret'), { type: 'text', text: 'a' }] },
      ],
      structuredContent: { links: [link('r://a/secret'), link('r://a/open')] },
    };
    expect((await call('open', {}, { result })).result).toEqual({
      content: [
        embedded('r://a/open'),
        { type: 'text', text: 'secret' },
        { type: 'tool_result', content: [{ type: 'text', text: 'a' }] },
      ],
      structuredContent: { links: [link('r://a/open')] },
    });
  });

  it('leave the result as the very same object if none is hidden', async () => {
    const result = { content: [{ type: 'resource_link', uri: 'r://a/open', name: 'o' }], a: { b: 1 } };
    expect((await call('open', {}, { result })).result).toBe(result);
  });
});

it('a response that cannot be redacted is answered with an error', async () => {
  const data = {
    get broken() {
      throw new Error('secret');
    },
  };
  const answer = await call('open', {}, { error: { code: -32602, message: 'no', data } });
  expect(answer).toMatchObject({ error: { code: -32603 } });
  expect(JSON.stringify(answer)).not.toContain('secret');
});

describe('the contents of a resource', () => {
  const read = (uris: readonly string[]) =>
    ask(
      'resources/read',
      { uri: 'r://a/open' },
      { result: { contents: uris.map((uri) => ({ uri, text: uri })) } },
    );

  it('are removed if their URI is hidden', async () => {
    const answer = await read(['r://a/open', 'r://a/secret', 'R://a/secret', 't://secret/1', 'r://b/c']);
    expect(answer.result).toEqual({
      contents: ['r://a/open', 'r://b/c'].map((uri) => ({ uri, text: uri })),
    });
  });

  it('that are all hidden make the resource not found', async () => {
    expect(await read(['r://a/secret', 't://secret/1'])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Resource not found', data: { uri: 'r://a/open' } },
    });
    expect((await read([])).result).toEqual({ contents: [] });
  });
});

it('a resource that no free URI can replace is not found, with the code of the SDKs', async () => {
  const harness = new Harness(
    policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { resourceTemplates: { "{+any}": { tier: pro } } }
settings: { enforcement: enforce }
`),
  ).serve({ 'resources/list': [], 'resources/templates/list': [{ uriTemplate: '{+any}', name: 'a' }] });
  harness.request(1, 'resources/read', { uri: 'r://x' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(harness.answers(1)).toMatchObject([{ error: { code: -32602, message: 'Resource not found' } }]);
});

describe('the values of a completion', () => {
  const complete = async (
    uri: string,
    argument: string,
    values: readonly string[],
    context: object = {},
  ): Promise<unknown> => {
    const ref = { type: 'ref/resource', uri };
    const params = { ref, argument: { name: argument, value: '' }, context: { arguments: context } };
    const completion = { values, total: values.length, hasMore: false };
    return (await ask('completion/complete', params, { result: { completion } })).result;
  };
  const kept = (values: readonly string[]) => ({ completion: { values, hasMore: false } });

  it.each<[string, string, object]>([
    ['r://{+path}', 'path', {}],
    ['r://{dir}/{name}', 'dir', { name: 'vault' }],
    ['r://{dir}/{name}', 'name', { dir: 'a' }],
    ['r://a/{name*}', 'name', {}],
    ['r://a{/name}{?tag}', 'name', {}],
  ])(
    '%s, %s: a value that leads to a hidden resource is removed, and the total',
    async (uri, argument, context) => {
      const hidden = argument === 'path' ? ['a/vault', 'a/%76ault'] : argument === 'dir' ? ['a'] : ['vault'];
      const visible = argument === 'path' ? ['a/open'] : ['open', 'b'];
      expect(await complete(uri, argument, [...visible, ...hidden], context)).toEqual(kept(visible));
    },
  );

  it.each([
    ['as it is', 'Geheimnis x'],
    ['escaped', 'Geheimnis%20x'],
  ])('a value that a server writes into the URI %s is removed', async (_how, value) => {
    expect(await complete('r://a/{name*}', 'name', ['open', value])).toEqual(kept(['open']));
  });

  it('stay, with the total, if the template is still open', async () => {
    const completion = { values: ['a', 'b'], total: 2, hasMore: false };
    expect(await complete('r://{dir}/{name}', 'dir', ['a', 'b'])).toEqual({ completion });
  });

  it('are removed if they are hidden names or URIs themselves', async () => {
    const ref = { type: 'ref/prompt', name: 'open' };
    const params = { ref, argument: { name: 'x', value: '' } };
    const values = ['secret', 'secret prompt', 'R://a/secret', 'secrets', 'open'];
    const answer = await ask('completion/complete', params, { result: { completion: { values, total: 5 } } });
    expect(answer.result).toEqual({ completion: { values: ['secrets', 'open'] } });
  });
});
