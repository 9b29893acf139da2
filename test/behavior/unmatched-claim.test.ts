import { expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { policyOf } from '../gate/gate-harness.js';
import { serverV2 } from './servers.js';

const policy = policyOf(`
concerns: { team: { values: [guests, staff], set-by: operator, claim: groups, default: guests } }
primitives: { tools: { encryptData: { team: guests }, logData: { team: staff } } }
settings: { unmapped: hide }
`);
const lines: unknown[] = [];
const handle = createHandler({ server: serverV2, policy });

async function toolsFor(groups: unknown): Promise<string[]> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  const extra = groups === undefined ? {} : { groups };
  const authInfo = { token: 't', clientId: 'c', scopes: [], extra };
  const answer = await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }), {
    authInfo,
    report: (line) => lines.push(line),
  });
  const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

it.each<[string, unknown, string[]]>([
  ['no claim has the default', undefined, ['encryptData']],
  ['a value has that value', 'staff', ['logData']],
  ['a list of one value has that value', ['staff'], ['logData']],
  ['an unknown group sees nothing of any team', ['ops'], []],
  ['several groups see nothing of any team', ['staff', 'ops'], []],
])('a caller with %s', async (_what, groups, tools) => {
  expect(await toolsFor(groups)).toEqual(tools);
});

it('is logged if its claim matches no value', async () => {
  lines.length = 0;
  await toolsFor(['ops']);
  expect(JSON.stringify(lines)).toContain('"team":"unmatched-claim"');
});
