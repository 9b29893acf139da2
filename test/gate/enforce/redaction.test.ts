import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { redactResponse as redacting } from '../../../src/core/gate/enforce/redaction.js';
import type { Substitute } from '../../../src/core/gate/request/facts.js';
import { settledBy } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { ListServer, type Lists } from './list-server.js';

const redactResponse = settledBy(redacting);

const policy = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  tools: { secret: { tier: pro }, text: { tier: pro } }
  resources: { "r://secret": { tier: pro } }
settings: { enforcement: enforce }
`);
const pro = { _meta: { concerns: { tier: 'pro' } } };
const LISTS: Lists = {
  'tools/list': [{ name: 'open' }, { name: 'listed', ...pro }],
  'prompts/list': [{ name: 'asked', ...pro }],
  'resources/list': [{ uri: 'r://listed', ...pro }],
  'resources/templates/list': [{ uriTemplate: 't://{id}', ...pro }],
};
const ALL_LISTS = Object.keys(LISTS);
const serving = (lists = LISTS): ListServer => new ListServer(policy).listing(lists);

const answer = (result: Record<string, unknown>) => ({ jsonrpc: '2.0', id: 'client', result }) as const;
const failed = (error: { code: number; message: string; data?: unknown }) =>
  ({ jsonrpc: '2.0', id: 'client', error }) as const;
const link = (uri: string) => ({ type: 'resource_link', uri, name: 'n' });
const text = { type: 'text', text: 'secret' };
const substitute: Substitute = { name: 'unknown-1', sent: 'unknown-1', original: 'listed' };

const call = (server: ListServer, params: Record<string, unknown> = { name: 'open' }): Exchange =>
  server.exchange('tools/call', params);
const substituted = (exchange: Exchange): Exchange => {
  exchange.substitute = substitute;
  return exchange;
};

describe('a response that names nothing', () => {
  it('stays the same object, and no list is asked for', () => {
    const server = serving();
    const message = answer({ content: [text], isError: false, structuredContent: { secret: 1 } });
    expect(redactResponse(call(server), message)).toBe(message);
    expect(server.asked).toEqual([]);
  });

  it('stays the same object after the lists were asked for', () => {
    const server = serving();
    const message = answer({ content: [link('r://open')] });
    expect(redactResponse(call(server), message)).toBe(message);
    expect(server.asked).toEqual(['resources/list', 'resources/templates/list']);
  });

  it('stays the same object if nothing can be hidden', () => {
    const server = new ListServer(policyOf('settings: { enforcement: enforce }\n')).listing(LISTS);
    const message = failed({ code: 1, message: 'secret' });
    expect(redactResponse(call(server), message)).toBe(message);
    expect(server.asked).toEqual([]);
  });
});

describe('the lists that a response needs', () => {
  const completing = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };

  it.each<[string, Record<string, unknown>]>([
    ['that reports a failure', { isError: true, content: [{ type: 'text', text: 'no' }] }],
    ['with a request for input', { inputRequests: {} }],
    ['with the status message of a task', { task: { statusMessage: 'a' } }],
    ['with the failure of a task', { result: { isError: true, content: ['no'] } }],
    ['with a member that the protocol does not have', { content: [], other: 1 }],
  ])('are all for a result %s', (_what, result) => {
    const server = serving();
    redactResponse(call(server), answer(result));
    expect(server.asked).toEqual(ALL_LISTS);
  });

  it('are all for an error, a completion, and for an unknown name', () => {
    const [erring, completed, unknown] = [serving(), serving(), serving()];
    redactResponse(call(erring), failed({ code: 1, message: 'no' }));
    redactResponse(
      completed.exchange('completion/complete', completing),
      answer({ completion: { values: [] } }),
    );
    redactResponse(substituted(call(unknown)), answer({ content: [] }));
    for (const { asked } of [erring, completed, unknown]) expect(asked).toEqual(ALL_LISTS);
  });

  it('may be missing: then the policy decides', () => {
    expect(redactResponse(call(serving({})), failed({ code: 1, message: 'listed, secret' }))).toEqual(
      failed({ code: 1, message: 'listed, [hidden]' }),
    );
  });

  it('may come later', async () => {
    const server = serving();
    server.isSlow = true;
    const later = redactResponse(call(server), failed({ code: 1, message: 'listed' }));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(failed({ code: 1, message: '[hidden]' }));
  });

  it('are not asked for if the method is not found', () => {
    const server = serving();
    const message = failed({ code: -32601, message: 'secret, listed', data: ['secret'] });
    expect(redactResponse(call(server), message)).toEqual(
      failed({ code: -32601, message: '[hidden], listed', data: ['[hidden]'] }),
    );
    expect(server.asked).toEqual([]);
    redactResponse(call(server), failed({ code: 1, message: '' }));
    expect(redactResponse(call(server), message)).toEqual(
      failed({ code: -32601, message: '[hidden], [hidden]', data: ['[hidden]'] }),
    );
  });
});

describe('what a response says', () => {
  it('names nothing hidden in an error', () => {
    const data = { secret: ['listed', 'asked', 'r://listed', 't://{id}', 'open'] };
    expect(redactResponse(call(serving()), failed({ code: 5, message: 'secret, not open', data }))).toEqual(
      failed({
        code: 5,
        message: '[hidden], not open',
        data: { '[hidden]': ['[hidden]', '[hidden]', '[hidden]', '[hidden]', 'open'] },
      }),
    );
  });

  it('names nothing hidden in a failure, and keeps its links in form', () => {
    const content = [text, link('r://secret'), link('r://listed'), link('t://7'), link('r://open')];
    expect(redactResponse(call(serving()), answer({ isError: true, content }))).toEqual(
      answer({ isError: true, content: [{ type: 'text', text: '[hidden]' }, link('r://open')] }),
    );
  });

  it('puts the requested name back', () => {
    const exchange = substituted(call(serving(), { name: 'listed' }));
    expect(
      redactResponse(exchange, answer({ content: [{ type: 'text', text: 'no unknown-1 or secret' }] })),
    ).toEqual(answer({ content: [{ type: 'text', text: 'no listed or [hidden]' }] }));
    expect(redactResponse(exchange, failed({ code: 1, message: 'no unknown-1' }))).toEqual(
      failed({ code: 1, message: 'no listed' }),
    );
  });

  it('links to nothing hidden, and keeps its text', () => {
    const content = [text, link('r://secret'), link('R://listed'), link('t://7'), link('t://{id}')];
    expect(redactResponse(call(serving()), answer({ content, _meta: { a: 1 } }))).toEqual(
      answer({ content: [text], _meta: { a: 1 } }),
    );
  });

  it('is an error if all the contents are hidden', () => {
    const server = serving();
    const exchange = server.exchange('resources/read', { uri: 'r://open' });
    expect(redactResponse(exchange, answer({ contents: [{ uri: 't://1' }] }))).toEqual(
      failed({ code: -32602, message: 'Resource not found', data: { uri: 'r://open' } }),
    );
    expect(server.reports).toEqual([{ method: 'resources/read', era: 'legacy', error: -32602 }]);
  });

  it('completes nothing to a hidden name', () => {
    const params = {
      ref: { type: 'ref/resource', uri: 't://{id}' },
      argument: { name: 'id', value: '' },
      context: { arguments: {} },
    };
    const exchange = serving().exchange('completion/complete', params);
    expect(redactResponse(exchange, answer({ completion: { values: ['7', 'x'], total: 2 } }))).toEqual(
      answer({ completion: { values: [] } }),
    );
    const named = serving().exchange('completion/complete', {
      ...params,
      ref: { type: 'ref/prompt', name: 'p' },
    });
    expect(
      redactResponse(named, answer({ completion: { values: ['asked', 'r://listed', 'x'], total: 3 } })),
    ).toEqual(answer({ completion: { values: ['x'] } }));
  });

  it('completes values in the answers of completions only', () => {
    const message = answer({ completion: { values: ['secret'], total: 1 }, content: [link('r://open')] });
    expect(redactResponse(call(serving()), message)).toBe(message);
  });

  it('offers the model no hidden tool', () => {
    const request = (...names: string[]) => ({
      method: 'sampling/createMessage',
      params: { tools: names.map((name) => ({ name })) },
    });
    expect(
      redactResponse(
        call(serving()),
        answer({ inputRequests: { a: request('secret', 'listed', 'open', 'own') } }),
      ),
    ).toEqual(answer({ inputRequests: { a: request('open', 'own') } }));
    const message = answer({ inputRequests: { a: request('open') } });
    expect(redactResponse(call(serving()), message)).toBe(message);
  });

  it('names nothing hidden in what it asks the client, whose answers belong to the same keys', () => {
    const asking = (name: string) => ({
      resultType: 'input_required',
      inputRequests: {
        secret: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            url: 'https://example.com/secret',
            message: `run ${name}?`,
            requestedSchema: { type: 'object', properties: { sure: { type: 'boolean', title: name } } },
          },
        },
        model: {
          method: 'sampling/createMessage',
          params: {
            messages: [{ role: 'user', content: { type: 'text', text: name } }],
            systemPrompt: name,
            _meta: { note: name },
          },
        },
        odd: name,
      },
      requestState: 'secret',
    });
    const [asked, answered] = [asking('listed'), asking('[hidden]')];
    expect(redactResponse(call(serving()), answer(asked))).toEqual(answer(answered));
    const task = { taskId: 't', status: 'input_required' };
    expect(redactResponse(call(serving()), answer({ task: { ...task, ...asked } }))).toEqual(
      answer({ task: { ...task, ...answered } }),
    );
  });

  it('names nothing hidden in the texts of a task', () => {
    expect(
      redactResponse(call(serving()), answer({ task: { taskId: 't', statusMessage: 'runs listed' } })),
    ).toEqual(answer({ task: { taskId: 't', statusMessage: 'runs [hidden]' } }));
  });

  it('is an error if it cannot be read', () => {
    const server = serving();
    const data = {
      get broken() {
        throw new Error('secret');
      },
    };
    expect(redactResponse(call(server), failed({ code: 1, message: 'secret', data }))).toEqual(
      failed({ code: -32603, message: 'The response could not be checked for hidden names. Try again.' }),
    );
    expect(server.reports).toEqual([{ method: 'tools/call', era: 'legacy', error: -32603 }]);
  });
});
