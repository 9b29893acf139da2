import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { handleRequest } from '../../../src/core/gate/edge/gather.js';
import { ROUTE_HANDLERS } from '../../../src/core/gate/edge/route-handlers.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, type Message } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { ListServer, type Lists } from './list-server.js';

const policy = policyOf(`
concerns: { security: { values: [low, high] } }
primitives:
  tools: { secret: { security: low }, strong: { security: high } }
  resources: { "r://a/secret": { security: low } }
settings: { enforcement: enforce }
`);
const LISTS: Lists = {
  'tools/list': [{ name: 'secret' }, { name: 'strong' }, { name: 'listed' }],
  'prompts/list': [{ name: 'listed' }],
  'resources/list': [{ uri: 'r://a/secret' }],
  'resources/templates/list': [],
};
const HIGH = { [EXTENSION_ID]: { concerns: { security: 'high' } } };
const SENT = expect.stringMatching(/^unknown-[0-9a-f-]{36}$/);
const serving = (lists = LISTS): ListServer => new ListServer(policy).listing(lists);

/** Only a handler of this process knows the method of probes, so it gets their row. */
const answerProbe = (exchange: Exchange) =>
  handleRequest(exchange, { ...ROUTE_HANDLERS, pass: ROUTE_HANDLERS.probe });

/** Asks the gate whether to replace the name in a request. */
function probe(server: ListServer, method: string, params: object, _meta: object = HIGH): readonly Message[] {
  const request = { jsonrpc: '2.0', id: 5, method, params };
  void answerProbe(server.exchange('ping', { request, _meta }));
  return server.toClient;
}
const answer = (substitute?: object) => [
  { jsonrpc: '2.0', id: 'client', result: substitute === undefined ? {} : { substitute } },
];

describe('a probe', () => {
  it.each<[string, object, object | undefined]>([
    ['tools/call', { name: 'secret' }, { name: SENT, sent: SENT, original: 'secret' }],
    ['tools/call', { name: 'nothing' }, { name: SENT, sent: SENT, original: 'nothing' }],
    ['tools/call', { name: 'listed' }, undefined],
    ['tools/call', { name: 'strong' }, undefined],
    ['prompts/get', { name: 'nothing' }, { name: SENT, sent: SENT, original: 'nothing' }],
    ['resources/read', { uri: 'r://a/open' }, undefined],
    [
      'resources/read',
      { uri: 'r://a/secret' },
      { name: expect.stringMatching(/^r:\/\/a\/unknown-/), sent: SENT, original: 'secret' },
    ],
    ['tools/call', {}, undefined],
    ['tools/list', { name: 'secret' }, undefined],
  ])('about %s %j', (method, params, substitute) => {
    expect(probe(serving(), method, params)).toEqual(answer(substitute));
  });

  it('asks for the lists that decide, once each', () => {
    const askedFor = (method: string, params: object): string[] => {
      const server = serving();
      probe(server, method, params);
      return server.asked;
    };
    expect(askedFor('tools/call', { name: 'listed' })).toEqual(['tools/list']);
    expect(askedFor('resources/read', { uri: 'r://a' })).toEqual([
      'resources/list',
      'resources/templates/list',
    ]);
    expect(askedFor('tools/call', { name: 'strong' })).toEqual([]);
  });

  it('is decided under the preferences of the probe alone', () => {
    expect(probe(serving(), 'tools/call', { name: 'secret' }, {})).toEqual(answer());
    const own = { name: 'secret', _meta: HIGH };
    expect(probe(serving(), 'tools/call', own, {})).toEqual(answer());
  });

  it('needs no list if nothing can be hidden', () => {
    const server = new ListServer(policyOf('settings: { enforcement: enforce }\n')).listing(LISTS);
    expect(probe(server, 'tools/call', { name: 'nothing' }, {})).toEqual(answer());
    expect(server.asked).toEqual([]);
  });

  it('is refused if the lists cannot be read', () => {
    expect(probe(serving({ 'tools/list': -32603 }), 'tools/call', { name: 'listed' })).toEqual([
      {
        jsonrpc: '2.0',
        id: 'client',
        error: {
          code: -32603,
          message:
            'Access to this primitive could not be checked, because the server did not list its primitives. Try again.',
        },
      },
    ]);
  });

  it('finds a target in a list that is too long', () => {
    const pages = Array.from({ length: 120 }, (_, index) => [{ name: `n${index}` }]);
    const server = serving({ 'tools/list': pages });
    expect(probe(server, 'tools/call', { name: 'n110' })).toEqual(answer());
  });

  it('waits for the session', async () => {
    const store = createMemoryStore();
    await store.update('s', { listChanged: [], concerns: { security: 'high' } });
    const server = new ListServer(policy, { place: 'store', store, id: 's' }).listing(LISTS);
    const request = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'secret' } };
    await answerProbe(server.exchange('ping', { request }));
    expect(server.toClient).toEqual(answer({ name: SENT, sent: SENT, original: 'secret' }));
  });
});
