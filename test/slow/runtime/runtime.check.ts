import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HttpResult } from '../../../src/core/lambda/result.js';
import { errorOf, httpEvent, initialize, rpc, toolsOf } from '../../lambda/events.js';
import { PATIENCE } from '../../patience.js';
import { type Environment, startEnvironment } from './environment.js';
import { installRuntime, NODE_24 } from './install.js';
import { type PackagedFunction, packageFunction } from './packaged.js';
import { type Answer, FUNCTION_ARN } from './runtime-api.js';

const list = rpc('tools/list');
const versionOf = (node: string): string =>
  execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);

let packaged: PackagedFunction;
const times: string[] = [];
beforeAll(async () => {
  await installRuntime();
  packaged = await packageFunction();
});
afterAll(() => {
  packaged?.remove();
  console.log(`\n${['durations in ms', ...times].join('\n')}`);
});

it('tests with the runtime that the template names', () => {
  expect(`nodejs${versionOf(NODE_24).split('.')[0]}.x`).toBe(packaged.runtime);
});

/** A buffered response is JSON with a member `body`. A streamed one has a prelude, eight NUL bytes, and the body. */
const READERS: Record<'buffered' | 'stream', (answer: Answer) => HttpResult> = {
  buffered({ to, headers, body }) {
    expect(to).toBe('response');
    expect(headers).not.toHaveProperty('lambda-runtime-function-response-mode');
    return JSON.parse(body.toString());
  },
  stream({ to, headers, trailers, body }) {
    expect(to).toBe('response');
    expect(headers).toMatchObject({
      'lambda-runtime-function-response-mode': 'streaming',
      'transfer-encoding': 'chunked',
      'content-type': 'application/vnd.awslambda.http-integration-response',
    });
    expect(trailers).toEqual({});
    const at = body.indexOf(Buffer.alloc(8));
    expect(at).toBeGreaterThan(0);
    const prelude = JSON.parse(body.subarray(0, at).toString());
    return { ...prelude, body: body.subarray(at + 8).toString(), isBase64Encoded: false };
  },
};
const messagesOf = (body: string): { id?: unknown; method?: string; result?: object }[] =>
  body.startsWith('{')
    ? [JSON.parse(body)]
    : [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));

describe.each([
  [`Node ${process.versions.node.split('.')[0]}`, process.execPath],
  ['Node 24', NODE_24],
])('%s', (name, node) => {
  describe.each(['buffered', 'stream'] as const)('%s', (mode) => {
    let environment: Environment;
    let session: Record<string, string> = {};
    const post = (body: unknown) => httpEvent('POST', body, { headers: session });
    const invoke = async (event: unknown): Promise<HttpResult & { answer: Answer }> => {
      const answer = await environment.invoke(event);
      return { ...READERS[mode](answer), answer };
    };
    /** @returns the log line of an invocation; a streaming function writes it after the last byte */
    const lineOf = ({ requestId }: Answer): Promise<Record<string, unknown>> =>
      vi.waitFor(() => {
        const lines = environment.stdout().filter((line) => line.requestId === requestId);
        expect(lines).toHaveLength(1);
        return lines[0] ?? {};
      }, PATIENCE.wait);

    beforeAll(async () => {
      const env = mode === 'stream' ? { MCP_CONCERNS_RESPONSE: mode } : undefined;
      environment = await startEnvironment(node, packaged, env);
    });
    afterAll(() => environment?.stop());

    it('opens a session with concerns after a cold start', async () => {
      expect(environment.initError).toBeUndefined();
      const concerns = { security: 'high', cost: 'minimal' };
      const { statusCode, headers, body, answer } = await invoke(httpEvent('POST', initialize({ concerns })));
      expect([statusCode, headers['content-type']]).toEqual([200, 'application/json']);
      expect(JSON.parse(body)).toMatchObject({
        id: 1,
        result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } },
      });
      session = { 'mcp-session-id': headers['mcp-session-id'] ?? '' };
      expect(session).toEqual({ 'mcp-session-id': expect.stringMatching(/^[\w-]{20,}$/) });
      expect(await lineOf(answer)).toMatchObject({
        level: 'INFO',
        service: 'mcp-concerns',
        cold_start: true,
        function_request_id: answer.requestId,
        function_arn: FUNCTION_ARN,
        function_memory_size: packaged.memory,
        correlation_id: 'gw-1',
        httpMethod: 'POST',
        status: 200,
        method: 'initialize',
      });
      const [init, first] = [environment.initMs, answer.ms].map(Math.round);
      times.push(
        `${name} (${versionOf(node)}) ${mode}: cold ${Math.round(environment.initMs + answer.ms)} (init ${init}, first answer ${first})`,
      );
    });

    it('filters a list by the session in the same process', async () => {
      const { statusCode, body, answer } = await invoke(post(list));
      expect([statusCode, toolsOf({ body }).length]).toEqual([200, 9]);
      expect(await lineOf(answer)).toMatchObject({
        cold_start: false,
        method: 'tools/list',
        shown: 9,
        total: 24,
        session: environment.stdout()[0]?.session,
      });
      // The session is only in the memory of the process that opened it.
      expect(environment.running()).toBe(true);
      times.push(`${' '.repeat(name.length)} warm ${answer.ms.toFixed(1)} (tools/list)`);
    });

    it('does not support GET', async () => {
      const { statusCode, headers, body, answer } = await invoke(httpEvent('GET'));
      expect([statusCode, headers.allow]).toEqual([405, 'POST, DELETE']);
      expect(errorOf({ body })).toMatchObject({ code: expect.any(Number) });
      expect(await lineOf(answer)).toMatchObject({ httpMethod: 'GET', status: 405 });
    });

    it('sends a response without a body', async () => {
      const { statusCode, body } = await invoke(
        post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      );
      expect([statusCode, body]).toEqual([202, '']);
    });

    it('updates concerns, notifies about changed lists, and lists again', async () => {
      const updated = await invoke(post(rpc('updateConcerns', { concerns: { security: 'low' } }, 2)));
      expect(updated.statusCode).toBe(200);
      const messages = messagesOf(updated.body);
      expect(messages.at(-1)).toMatchObject({ id: 2, result: {} });
      expect(messages.map(({ method }) => method)).toContain('notifications/tools/list_changed');
      expect(await lineOf(updated.answer)).toMatchObject({ method: 'updateConcerns', status: 200 });
      expect(toolsOf(await invoke(post(list)))).not.toHaveLength(9);
    });

    it('calls a tool', async () => {
      const call = rpc('tools/call', { name: 'hashData', arguments: { data: 'x' } }, 'a');
      const { statusCode, body } = await invoke(post(call));
      expect(statusCode).toBe(200);
      expect(messagesOf(body).at(-1)).toMatchObject({ id: 'a', result: { content: [{ type: 'text' }] } });
    });

    it('fails on an event that is not an HTTP request, and serves the next event', async () => {
      const { to, body, headers, trailers } = await environment.invoke({ key1: 'value1' });
      if (mode === 'buffered') {
        expect(to).toBe('error');
        expect(JSON.parse(body.toString())).toMatchObject({
          errorType: 'EventError',
          errorMessage: expect.stringContaining('payload format 2.0'),
        });
      } else {
        expect([to, headers['lambda-runtime-function-response-mode']]).toEqual(['response', 'streaming']);
        expect(trailers).toMatchObject({ 'lambda-runtime-function-error-type': 'EventError' });
      }
      expect(await invoke(post(rpc('ping')))).toMatchObject({ statusCode: 200 });
    });

    it('warns once that sessions are not shared, and sends no unexpected request to the Runtime API', () => {
      const warnings = environment.stderr().match(/^.*MCP_CONCERNS_TABLE.*$/gm) ?? [];
      expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ level: 'WARN' }]);
      expect(environment.unexpected).toEqual([]);
      expect(environment.running()).toBe(true);
    });
  });

  it('reports to Lambda why it cannot start', async () => {
    const environment = await startEnvironment(node, packaged, { MCP_CONCERNS_RESPONSE: 'sometimes' });
    try {
      const { to, headers, body } = environment.initError ?? {};
      expect([to, headers?.['lambda-runtime-function-error-type']]).toEqual(['init/error', 'SettingsError']);
      expect(JSON.parse(String(body))).toMatchObject({
        errorType: 'SettingsError',
        errorMessage: '"sometimes" is not a valid value for MCP_CONCERNS_RESPONSE (buffered, stream).',
      });
      expect(await environment.ended).not.toBe(0);
    } finally {
      await environment.stop();
    }
  });
});
