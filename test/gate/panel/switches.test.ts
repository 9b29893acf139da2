import { afterEach, describe, expect, it, vi } from 'vitest';
import { switchTo as switchToOf } from '../../../src/core/gate/panel/panel.js';
import { stateOf as stateOfOf } from '../../../src/core/gate/panel/switches.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { NOT_KEPT, ON, talkTo } from './panel-policy.js';

const stateOf = gathered(stateOfOf);
const switchTo = gathered(switchToOf);

afterEach(() => void vi.useRealTimers());

describe('what a request is shown', () => {
  it('is the document of the only session, which is new each time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1234 });
    const talk = talkTo();
    const exchange = await talk.configured('tools/call');
    expect(await stateOf(exchange)).toMatchObject({
      revision: 1234,
      server: { name: 'MCP server' },
      session: 'this',
      sessions: [{ id: 'this', client: 'this host', via: 'stdio', relisted: null }],
    });
    expect(await stateOf(exchange)).not.toHaveProperty('readOnly');
  });

  it('names the server, and says whether the client listed again', async () => {
    const talk = talkTo();
    const [server, client] = [{ name: 'Vault', version: '2' }, { name: 'c' }];
    talk.connection.handshake({ state: 'accepted', client, server, announced: [] });
    talk.connection.announce(['tools'], true, undefined);
    const http = { headers: {} };
    expect(await stateOf(await talk.configured('tools/call', {}, { http }))).toMatchObject({
      server: { name: 'Vault', version: '2' },
      sessions: [{ id: 'this', client: 'this host', via: 'http', relisted: false }],
    });
  });

  it('says why nothing can be changed', async () => {
    expect(await stateOf(await talkTo().configured('tools/call', modern()))).toMatchObject({
      readOnly: NOT_KEPT,
    });
  });

  it('has tokens by the bytes of each definition', async () => {
    const talk = talkTo();
    talk.lists = {
      tools: [
        { name: 'a', description: 'x'.repeat(378) },
        { name: 'b', description: 'é'.repeat(189) },
      ],
    };
    const { items, shown } = await stateOf(await talk.configured('tools/call'));
    // 407 bytes each, at 4.2 bytes per token.
    expect(items.map(({ tokens }) => tokens)).toEqual([97, 97]);
    expect(shown).toEqual({ tools: 2, tokens: 194 });
  });
});

describe('a change that a person makes in the client', () => {
  it('is announced with the request, and to the page', async () => {
    const talk = talkTo();
    talk.initialize();
    talk.toClient.length = 0;
    talk.observed.length = 0;
    const exchange = await talk.configured('tools/call');
    expect(await switchTo(exchange, { security: 'low' }, true)).toEqual({ state: 'changed' });
    expect(talk.observed).toEqual(['changed']);
  });

  it('works without a page, and in a session of a store', async () => {
    const store = createMemoryStore();
    const talk = new Talk(ON, { preferences: { place: 'store', store, id: 's' } });
    expect(await switchTo(await talk.configured('tools/call'), { security: 'low' }, true)).toEqual({
      state: 'changed',
    });
    expect(await store.read('s')).toMatchObject({ record: { concerns: { security: 'low' } } });
  });
});
