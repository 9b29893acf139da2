import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/http/sdk-v1.js';
import { policyOf } from '../gate/gate-harness.js';

const server = () => {
  const made = new McpServer({ name: 'notes', version: '1.0.0' });
  made.registerTool('wipe', {}, () => ({ content: [{ type: 'text', text: 'ran wipe' }] }));
  return made;
};

const authOf = (extra: Record<string, unknown> | undefined): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  ...(extra === undefined ? {} : { extra }),
});

/** Each opens the tool to the callers of its region or role, and to nobody else. */
const CONDITIONS = {
  equality: '{ "===": [{ var: claims.region }, eu] }',
  'the negation of a list': '{ "!": { in: [{ var: claims.region }, [us, cn]] } }',
  'an order': '{ ">": [{ var: claims.level }, 2] }',
  'the negation of an order': '{ "!": { "<": [{ var: claims.level }, 2] } }',
};

describe.each(Object.entries(CONDITIONS))('a policy with one show rule by %s of a claim', (_what, when) => {
  const handle = createHandler({
    server,
    policy: policyOf(`
rules:
  - { id: own, show: [tools], when: ${when} }
settings: { enforcement: enforce, unmapped: hide }
`),
  });
  async function seen(authInfo: AuthInfo | undefined) {
    const ask = async (method: string, params: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
      return (await handle(request, authInfo === undefined ? {} : { authInfo })).text();
    };
    const list = await ask('tools/list', {});
    const call = await ask('tools/call', { name: 'wipe', arguments: {} });
    return { lists: list.includes('wipe'), runs: call.includes('ran wipe') };
  }

  it.each<[string, AuthInfo | undefined]>([
    ['without a token', undefined],
    ['with a token without claims', authOf(undefined)],
    ['with an empty token', authOf({})],
    ['with null', authOf({ region: null, level: null })],
  ])('shows and runs nothing for a caller %s', async (_caller, authInfo) => {
    expect(await seen(authInfo)).toEqual({ lists: false, runs: false });
  });

  it('shows and runs the tool for a caller with the claim', async () => {
    expect(await seen(authOf({ region: 'eu', level: 3 }))).toEqual({ lists: true, runs: true });
  });

  it('never runs what it does not list, for a claim of a wrong type', async () => {
    for (const wrong of [true, '3x', ['eu', 3], { eu: 3 }, [], {}, '']) {
      const found = await seen(authOf({ region: wrong, level: wrong }));
      expect(found.runs).toBe(found.lists);
    }
  });
});
