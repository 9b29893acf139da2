import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlChannel } from '../../../src/cli/control/channel.js';
import type { Switchboard } from '../../../src/cli/control/hub.js';
import { ChangeRefusedError, SessionGoneError } from '../../../src/cli/control/switch-errors.js';
import { type LocalEndpoint, listenLocally } from '../../../src/core/http/local.js';
import { stateOf } from '../../slow/browser/states.js';

const KEY = 'k'.repeat(43);
const MARKER = stateOf('vault', { preferences: {} }).items[0]?.name ?? '';

describe('the control channel over HTTP', () => {
  const changes: object[] = [];
  const listeners = new Set<(session: string) => void>();
  let current = stateOf('vault', { preferences: {} });
  const board: Switchboard = {
    state: async () => current,
    states: async () => [current],
    change: async (session, change) => {
      if (session !== 's1') throw new SessionGoneError('The session has ended.');
      if ('security' in change && change.security === 'hihg')
        throw new ChangeRefusedError('Did you mean "high"?');
      changes.push(change);
      current = stateOf('vault', { preferences: { security: 'high' }, revision: 2 });
      for (const listener of listeners) listener(session);
      return current;
    },
    answer: async (_session, proposal, isAllowed) => {
      if (proposal !== 'p1') throw new ChangeRefusedError('The program does not ask for this any more.');
      changes.push({ allow: isAllowed });
      return stateOf('vault', { preferences: {} });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      listener('s1');
      return () => listeners.delete(listener);
    },
  };
  let endpoint: LocalEndpoint;
  let port = 0;
  beforeAll(async () => {
    const channel = controlChannel(board, KEY);
    endpoint = await listenLocally(async () => new Response(null, { status: 404 }), { beside: channel });
    port = Number(new URL(endpoint.url).port);
  });
  afterAll(() => endpoint.close());

  interface Answer {
    readonly status: number;
    readonly body: string;
    readonly headers: NodeJS.Dict<string | string[]>;
  }
  /** `fetch` does not send a Host header of our choice. */
  const ask = (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) =>
    new Promise<Answer>((resolve, reject) => {
      const { method = 'GET', headers = {}, body = '' } = init;
      const outgoing = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const bearer = { authorization: `Bearer ${KEY}` };
  const put = (body: string, path = '/panel/sessions/s1/concerns', headers: Record<string, string> = {}) =>
    ask(path, { method: 'PUT', headers: { ...bearer, ...headers }, body });

  it('serves the page without a key, with a content security policy and without a secret', async () => {
    const { status, body, headers } = await ask('/panel');
    expect(status).toBe(200);
    expect(body).not.toContain(KEY);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  const attacks: readonly [name: string, status: number, headers: Record<string, string>][] = [
    ['a Host that was bound to 127.0.0.1', 403, { ...bearer, host: 'attacker.example' }],
    ['a Host without a port', 403, { ...bearer, host: '127.0.0.1' }],
    ['a page of another origin', 403, { ...bearer, origin: 'https://attacker.example' }],
    ['a page of another port', 403, { ...bearer, origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', 403, { ...bearer, origin: 'null' }],
    ['no key', 401, {}],
    ['a wrong key', 401, { authorization: `Bearer ${'x'.repeat(43)}` }],
    ['the beginning of the key', 401, { authorization: `Bearer ${KEY.slice(0, 42)}` }],
    ['the key in another scheme', 401, { authorization: `Basic ${KEY}` }],
  ];
  it.each(attacks)('refuses %s', async (_name, status, headers) => {
    const before = changes.length;
    const body = JSON.stringify({ concerns: { security: 'high' } });
    const answers = await Promise.all([
      ask('/panel/sessions', { headers }),
      ask('/panel/events', { headers }),
      ask('/panel/sessions/s1/concerns', { method: 'PUT', headers, body }),
      ask('/panel/sessions/s1/proposals/p1', { method: 'PUT', headers, body: '{"allow":true}' }),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(status);
      expect(answer.body).not.toContain(MARKER);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(changes.length).toBe(before);
  });

  it('answers a preflight without permission', async () => {
    const headers = { origin: 'https://attacker.example', 'access-control-request-method': 'PUT' };
    const { status, headers: answered } = await ask('/panel/sessions/s1/concerns', {
      method: 'OPTIONS',
      headers,
    });
    expect(status).toBe(403);
    expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('switches one session', async () => {
    changes.length = 0;
    const { status, body } = await put('{"concerns":{"security":"high"}}');
    expect(status).toBe(200);
    expect(JSON.parse(body).sessions[0].revision).toBe(2);
    expect(changes).toEqual([{ security: 'high' }]);
  });

  it.each([
    ['a body that is not JSON', '{', 400],
    ['no object', '{"concerns":[]}', 400],
    ['null', 'null', 400],
    ['a value that the policy lacks', '{"concerns":{"security":"hihg"}}', 422],
    ['a body that is too long', JSON.stringify({ concerns: { security: 'x'.repeat(70_000) } }), 413],
  ])('refuses %s', async (_name, body, status) => {
    const answer = await put(body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body).error).toMatch(/\.$|\?$/);
  });

  it('takes the answer of a person to what a program asks for', async () => {
    changes.length = 0;
    expect((await put('{"allow":true}', '/panel/sessions/s1/proposals/p1')).status).toBe(200);
    expect((await put('{"allow":false}', '/panel/sessions/s1/proposals/p1')).status).toBe(200);
    expect((await put('{"allow":"yes"}', '/panel/sessions/s1/proposals/p1')).status).toBe(400);
    expect((await put('{"allow":true}', '/panel/sessions/s1/proposals/p2')).status).toBe(422);
    expect(changes).toEqual([{ allow: true }, { allow: false }]);
  });

  it('says that a session has ended', async () => {
    expect(await put('{"concerns":{}}', '/panel/sessions/gone/concerns')).toMatchObject({ status: 404 });
    expect(await put('{"concerns":{}}', '/panel/sessions/%E0%A4%A/concerns')).toMatchObject({ status: 404 });
  });

  it('sends each session, then each change', async () => {
    current = stateOf('vault', { preferences: {} });
    const response = await fetch(`http://127.0.0.1:${port}/panel/events`, { headers: bearer });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (part: string) => {
      while (!text.includes(part)) text += (await reader?.read())?.value ?? expect.fail(text);
    };
    await readUntil('"revision":1');
    await put('{"concerns":{"security":"high"}}');
    await readUntil('"revision":2');
    await reader?.cancel();
    await expect.poll(() => listeners.size).toBe(0);
  });
});
