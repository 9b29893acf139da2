import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPeers } from '../../src/deploy/missing-peers.js';
import { httpEvent, rpc } from './events.js';

interface Emf {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

const folder = mkdtempSync(join(tmpdir(), 'metrics-'));
const entry = join(folder, 'entry.ts');

/** Calls the function with each body, and closes stdin of nothing: what it writes to stdout is what Lambda would log. */
const PROGRAM = `
  const { handler } = await import(process.argv[1]);
  for (const event of JSON.parse(process.argv[2])) await handler(event, { awsRequestId: 'one' });
  await new Promise((done) => setTimeout(done, 200));`;

/** @returns what the function wrote to stdout and stderr, both of which Lambda collects */
async function output(
  file: string,
  bodies: readonly unknown[],
  env: Record<string, string>,
  more: Parameters<typeof httpEvent>[2] = {},
): Promise<string> {
  const events = JSON.stringify(bodies.map((body) => httpEvent('POST', body, more)));
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', PROGRAM, file, events],
    { env: { PATH: process.env.PATH ?? '', MCP_CONCERNS_SESSIONS: 'none', ...env } },
  );
  return `${stdout}${stderr}`;
}
const linesOf = (text: string): object[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
const run = async (...args: Parameters<typeof output>): Promise<object[]> => linesOf(await output(...args));

const bundled: Record<'installed' | 'missing', string> = { installed: '', missing: '' };
beforeAll(async () => {
  writeFileSync(
    entry,
    `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
     import { createFunction } from ${JSON.stringify(resolve('src/core/lambda/function.ts'))};
     import { preparePolicy } from ${JSON.stringify(resolve('src/core/engine/policy.ts'))};
     const policy = preparePolicy({ format: 1, digest: 'd', files: ['p.yaml'],
       concerns: [
         { name: 'level', values: ['low', 'high'], match: 'exact', multiple: false, setBy: 'host', default: 'high' },
         { name: 'cost', values: ['low', 'high'], match: 'exact', multiple: false, setBy: 'host', default: 'high' }],
       presets: {},
       primitives: {
         tools: [
           { name: 'a', file: 0, line: 1, values: { level: { is: ['low'], line: 1 } } },
           { name: 'b', file: 0, line: 2, values: { level: { is: ['low'], line: 2 } } },
           { name: 'c', file: 0, line: 3, values: { cost: { is: ['low'], line: 3 } } }],
         prompts: [], resources: [], resourceTemplates: [] },
       patterns: { tools: [], prompts: [], resources: [], resourceTemplates: [] },
       assign: [], rules: [],
       settings: { unmapped: 'show', defaults: 'always', invalid: 'error', enforcement: 'advisory', transparency: false } });
     const server = () => {
       const made = new McpServer({ name: 's', version: '1' });
       for (const name of ['a', 'b', 'c', 'd']) made.registerTool(name, {}, () => ({ content: [] }));
       return made;
     };
     export const handler = createFunction({ policy, server, response: 'buffered' });`,
  );
  for (const state of ['installed', 'missing'] as const) {
    await build({
      entryPoints: [entry],
      outfile: join(folder, state, 'index.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      absWorkingDir: resolve('.'),
      nodePaths: [resolve('node_modules')],
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
      external: state === 'missing' ? ['@aws-lambda-powertools/metrics'] : [],
      plugins: [missingPeers([])],
      logLevel: 'warning',
    });
    bundled[state] = join(folder, state, 'index.mjs');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isEmf = (line: object): line is Emf => '_aws' in line;
const calls = [rpc('tools/list'), rpc('no/such'), rpc('tools/list')];

describe('metrics', () => {
  it('count calls, errors, duration, and what is shown and hidden, in the embedded metric format', async () => {
    const env = { MCP_CONCERNS_METRICS: 'Vault/MCP', POWERTOOLS_SERVICE_NAME: 'vault' };
    const found = (await run(bundled.installed, calls, env)).filter(isEmf);
    const [first, ...others] = found;
    expect(first?._aws.CloudWatchMetrics).toEqual([
      {
        Namespace: 'Vault/MCP',
        Dimensions: [['service']],
        Metrics: [
          { Name: 'Calls', Unit: 'Count' },
          { Name: 'Errors', Unit: 'Count' },
          { Name: 'Degraded', Unit: 'Count' },
          { Name: 'ToolErrors', Unit: 'Count' },
          { Name: 'Duration', Unit: 'Milliseconds' },
          { Name: 'Shown', Unit: 'Count' },
          { Name: 'Hidden', Unit: 'Count' },
        ],
      },
    ]);
    expect(first).toMatchObject({
      service: 'vault',
      Calls: 1,
      Errors: 0,
      Degraded: 0,
      ToolErrors: 0,
      Shown: 1,
      Hidden: 3,
      Duration: expect.any(Number),
    });
    expect(others.slice(0, 2)).toMatchObject([
      { service: 'vault', concern: 'level', Hidden: 2 },
      { service: 'vault', concern: 'cost', Hidden: 1 },
    ]);
    expect(others[0]?._aws.CloudWatchMetrics[0]?.Dimensions).toEqual([['service', 'concern']]);
    // The three lists of two requests, and one line for the request that no server knows.
    expect(found).toHaveLength(3 + 1 + 3);
    expect(found[3]).toMatchObject({ Calls: 1, Errors: 0 });
  });

  it('are not written unless the setting names a namespace, and the package is then not loaded', async () => {
    const lines = await run(bundled.missing, calls, {});
    expect(lines.filter(isEmf)).toEqual([]);
    expect(
      lines.filter((line) => 'level' in line && line.level === 'WARN' && !('error.type' in line)),
    ).toEqual([]);
  });

  it('are left out with a warning that says what to install if the package is missing', async () => {
    const lines = await run(bundled.missing, calls, { MCP_CONCERNS_METRICS: 'Vault' });
    expect(lines.filter(isEmf)).toEqual([]);
    const warning = expect.stringMatching(
      /^MCP_CONCERNS_METRICS is set, but .* Run "npm install @aws-lambda-powertools\/metrics"/,
    );
    expect(lines).toContainEqual(expect.objectContaining({ level: 'WARN', message: warning }));
    // The function answers all the same.
    expect(lines.filter((line) => 'mcp.method.name' in line)).toHaveLength(3);
  });

  it('and log lines contain no marker that a client planted anywhere', async () => {
    const marker = 'M4RK3R-of-a-secret';
    const events = [
      rpc('tools/call', { name: 'a', arguments: { value: marker, [marker]: 1 } }),
      rpc('tools/call', { name: marker, arguments: {} }),
      rpc('tools/call', { name: 'a', _meta: { traceparent: marker, progressToken: marker } }),
      rpc('tools/list', { cursor: marker, filter: { namePatterns: [marker] } }),
      rpc('prompts/get', { name: marker, arguments: { to: marker } }),
      rpc('resources/read', { uri: `notes://${marker}` }),
      rpc('completion/complete', {
        ref: { type: 'ref/prompt', name: marker },
        argument: { name: marker, value: marker },
      }),
      rpc(marker, { [marker]: marker }, marker),
      rpc('updateConcerns', { concerns: { level: marker, [marker]: 'high' } }),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: marker, reason: marker } },
      `{"${marker}`,
    ];
    const env = {
      MCP_CONCERNS_METRICS: 'Vault',
      POWERTOOLS_LOG_LEVEL: 'DEBUG',
      POWERTOOLS_LOGGER_LOG_EVENT: 'true',
    };
    const headers = {
      authorization: `Bearer ${marker}`,
      traceparent: marker,
      'x-amzn-trace-id': `Root=${marker}`,
      'mcp-concerns': `level=${marker}`,
      'user-agent': marker,
    };
    const text = await output(bundled.installed, events, env, {
      headers,
      rawQueryString: `concerns=${marker}`,
    });
    const lines = linesOf(text);
    expect(lines.filter(isEmf).length).toBeGreaterThanOrEqual(events.length);
    expect(lines.length).toBeGreaterThan(2 * events.length - 3);
    expect(text).not.toContain(marker);
  });
});
