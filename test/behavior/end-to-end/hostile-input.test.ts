import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { type LocalEndpoint, serveLocally } from '../../../src/core/http/local.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { connectOverHttp, inMeta, ofMeta, rawList, toolNames, updateConcerns } from '../../clients.js';
import { policyFromText } from '../../policy-text.js';

/** Values that a host could send. `JSON.parse` makes `__proto__` an own property, an object literal does not. */
const hostile: Record<string, unknown> = {
  'a name that every object inherits': { constructor: 'x', toString: 'y', hasOwnProperty: 'z' },
  'a prototype': JSON.parse('{"__proto__": "x"}'),
  'an undeclared name': { secruity: 'high' },
  'a number': { security: 3 },
  'a list for a concern with one value': { security: ['high', 'low'] },
  'an object': { security: { high: true } },
  'a boolean': { security: true },
  'a preset that is not a string': { preset: ['safe'] },
  'a list of concerns': ['security'],
  'a string': 'security=high',
  'a number of concerns': 5,
};

let endpoint: LocalEndpoint;
/** The same with a policy that ignores what is invalid. */
let lenient: LocalEndpoint;
const reports: GateReport[] = [];
beforeAll(async () => {
  endpoint = await serveLocally({
    server: () => createVaultServer(),
    policy: loadPolicy('policies/vault.yaml'),
    store: createMemoryStore(),
    log: (entry) => reports.push(...entry.reports),
  });
  const text = readFileSync('policies/vault.yaml', 'utf8');
  const ignoring = text.replace('invalid: error', 'invalid: ignore');
  expect(ignoring).not.toBe(text);
  lenient = await serveLocally({ server: () => createVaultServer(), policy: policyFromText(ignoring) });
});
afterAll(() => Promise.all([endpoint.close(), lenient.close()]));

const warned = (method: string): boolean =>
  reports.some((report) => report.method === method && (report.warnings?.length ?? 0) > 0);

describe.each(Object.entries(hostile))('%s', (_what, concerns) => {
  it('in the request changes no list, and causes a warning in the answer', async () => {
    const client = await connectOverHttp(endpoint.url);
    const result = await rawList(client, 'tools/list', inMeta(concerns));
    expect(result.tools).toHaveLength(24);
    expect(ofMeta(result)?.warnings).not.toHaveLength(0);
    await client.close();
  });

  it.each([
    ['initialize', 'initialize'],
    ['initialized', 'notifications/initialized'],
    ['capability', 'initialize'],
  ] as const)('in %s changes no list, and causes a warning in the log', async (place, method) => {
    reports.length = 0;
    const client = await connectOverHttp(endpoint.url, { [place]: concerns });
    expect(await toolNames(client)).toHaveLength(24);
    expect(warned(method)).toBe(true);
    await client.close();
  });

  it('in updateConcerns causes an error or a warning in the answer, and changes no list', async () => {
    const client = await connectOverHttp(endpoint.url);
    const outcome = await updateConcerns(client, concerns).catch((error: { code: number }) => error);
    if ('code' in outcome) expect(outcome.code).toBe(-32602);
    else expect(outcome.warnings).not.toHaveLength(0);
    expect(await toolNames(client)).toHaveLength(24);
    await client.close();
  });
});

const inHeader = (header: string): [string, object] => [
  endpoint.url,
  { headers: { 'Mcp-Concerns': header } },
];
const inUrl = (parameter: string): [string, object] => [`${endpoint.url}?concerns=${parameter}`, {}];

// A person wrote these, so what is not understood fails like an unknown value, unless the policy says `invalid: ignore`.
describe.each([
  ['header', 'constructor=x', inHeader],
  ['header', '__proto__=x', inHeader],
  ['header', 'secruity=high', inHeader],
  ['header', 'security=?1', inHeader],
  ['header', 'security=3.5.1', inHeader],
  ['header', 'security="high', inHeader],
  ['header', ',', inHeader],
  ['URL parameter', 'constructor:x', inUrl],
  ['URL parameter', '__proto__:x', inUrl],
  ['URL parameter', 'secruity:high', inUrl],
  ['URL parameter', ':', inUrl],
  ['URL parameter', '%00:%FF', inUrl],
])('the %s %s', (_place, text, sent) => {
  it('causes an error of a list, and no other client sees anything of it', async () => {
    const client = await connectOverHttp(...sent(text));
    await expect(rawList(client)).rejects.toMatchObject({ code: -32602 });
    await client.close();
    const other = await connectOverHttp(endpoint.url);
    expect(await toolNames(other)).toHaveLength(24);
    await other.close();
  });

  it('changes no list, and causes a warning, if the policy ignores what is invalid', async () => {
    const [url, options] = sent(text);
    const client = await connectOverHttp(url.replace(endpoint.url, lenient.url), options);
    const result = await rawList(client);
    expect(result.tools).toHaveLength(24);
    expect(ofMeta(result)?.warnings).not.toHaveLength(0);
    await client.close();
  });
});

describe.each([
  ['header', 'security=(high low)', inHeader],
  ['URL parameter', 'security:high|low', inUrl],
])('several values of one concern in the %s %s', (_place, text, sent) => {
  it('change no list, and cause a warning', async () => {
    const client = await connectOverHttp(...sent(text));
    const result = await rawList(client);
    expect(result.tools).toHaveLength(24);
    expect(ofMeta(result)?.warnings).not.toHaveLength(0);
    await client.close();
  });
});

describe('an undeclared value', () => {
  it('causes an error of a list and of an update, with a suggestion', async () => {
    const client = await connectOverHttp(endpoint.url);
    const data = {
      concern: 'security',
      value: 'hihg',
      values: ['low', 'medium', 'high'],
      suggestion: 'high',
    };
    await expect(toolNames(client, inMeta({ security: 'hihg' }))).rejects.toMatchObject({
      code: -32602,
      data,
    });
    await expect(updateConcerns(client, { security: 'hihg' })).rejects.toMatchObject({ code: -32602, data });
    expect(await toolNames(client)).toHaveLength(24);
    await client.close();
  });

  it('is ignored in notifications/initialized, which has no answer', async () => {
    const client = await connectOverHttp(endpoint.url, {
      initialized: { security: 'hihg', access: 'write' },
    });
    const result = await rawList(client);
    expect(ofMeta(result)?.concerns).toEqual({ access: 'write' });
    await client.close();
  });
});
