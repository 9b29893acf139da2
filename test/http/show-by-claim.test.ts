import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { policyOf } from '../gate/gate-harness.js';

const RAN = { content: [{ type: 'text' as const, text: 'ran wipe' }] };
const INFO = { name: 'notes', version: '1.0.0' };
const server = () => {
  const made = new McpServer(INFO);
  made.registerTool('wipe', {}, () => RAN);
  return made;
};
const serverV2 = () => {
  const made = new McpServerV2(INFO);
  made.registerTool('wipe', { inputSchema: z.object({}) }, () => RAN);
  return made;
};

type Params = Readonly<Record<string, unknown>>;
const post = (headers: object, method: string, params: Params) =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
const legacy = (method: string, params: Params) => post({}, method, params);
const modern = (method: string, params: Params) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = params.name === undefined ? {} : { 'mcp-name': params.name };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named };
  return post(headers, method, { ...params, _meta });
};

const ENDPOINTS = {
  'SDK v1': { open: (policy: string) => createHandler({ server, policy: policyOf(policy) }), ask: legacy },
  'SDK v2, up to 2025-11-25': {
    open: (policy: string) => createHandlerV2({ server: serverV2, policy: policyOf(policy) }),
    ask: legacy,
  },
  'SDK v2, 2026-07-28': {
    open: (policy: string) => createHandlerV2({ server: serverV2, policy: policyOf(policy) }),
    ask: modern,
  },
};

/** Each opens the tool to the callers of its region or role, and to nobody else. */
const CONDITIONS = {
  equality: '{ "===": [{ var: claims.region }, eu] }',
  'the negation of a list': '{ "!": { in: [{ var: claims.region }, [us, cn]] } }',
  'an order': '{ ">": [{ var: claims.level }, 2] }',
  'the negation of an order': '{ "!": { "<": [{ var: claims.level }, 2] } }',
};

const authOf = (extra: Record<string, unknown> | undefined): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  ...(extra === undefined ? {} : { extra }),
});

const cases = Object.entries(ENDPOINTS).flatMap(([endpoint, how]) =>
  Object.entries(CONDITIONS).map(([condition, when]) => ({ endpoint, condition, when, ...how })),
);

describe.each(cases)(
  '$endpoint, a policy with one show rule by $condition of a claim',
  ({ open, ask, when }) => {
    const handle = open(`
rules:
  - { id: own, show: [tools], when: ${when} }
settings: { enforcement: enforce, unmapped: hide }
`);
    async function seen(authInfo: AuthInfo | undefined) {
      const answer = async (method: string, params: Params) =>
        (await handle(ask(method, params), authInfo === undefined ? {} : { authInfo })).text();
      const list = await answer('tools/list', {});
      const call = await answer('tools/call', { name: 'wipe', arguments: {} });
      expect(list).toContain('"tools":');
      return { lists: list.includes('"wipe"'), runs: call.includes('ran wipe') };
    }

    it.each<[string, AuthInfo | undefined]>([
      ['without a token', undefined],
      ['with a token without claims', authOf(undefined)],
      ['with an empty token', authOf({})],
      ['with null', authOf({ region: null, level: null })],
      ['with an empty text', authOf({ region: '', level: '' })],
      ['with a list', authOf({ region: ['eu'], level: [3] })],
      ['with an object', authOf({ region: { eu: true }, level: { min: 3 } })],
    ])('shows and runs nothing for a caller %s', async (_caller, authInfo) => {
      expect(await seen(authInfo)).toEqual({ lists: false, runs: false });
    });

    it('shows and runs the tool for a caller with the claim', async () => {
      expect(await seen(authOf({ region: 'eu', level: 3 }))).toEqual({ lists: true, runs: true });
    });

    it('never runs what it does not list, for a claim of another type', async () => {
      for (const other of [true, '3x', 3]) {
        const found = await seen(authOf({ region: other, level: other }));
        expect(found.runs).toBe(found.lists);
      }
    });
  },
);
