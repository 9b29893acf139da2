import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { createProject } from './project.js';

const SERVER = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { defineTask } from 'mcp-concerns/tasks';
export const tasks = [
  defineTask({ name: 'report', inputSchema: { type: 'object' }, support: 'optional', run: () => 'reported' }),
];
export function createServer() {
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  for (const name of ['open', 'shut']) server.registerTool(name, {}, async () => ({ content: [] }));
  return server;
}
`;
const policy = (shown: string) => `
version: 1
concerns:
  security: { values: [low, high] }
primitives:
  tools:
    ${shown}: { security: low }
    ${shown === 'open' ? 'shut' : 'open'}: { security: high }
`;

it.each(['offline', 'offline start'])(
  '"osls %s" serves the policy as it is now, not that of an older bundle',
  async (command) => {
    const project = createProject();
    project.write('server.ts', SERVER);
    const config = {
      service: 'project',
      frameworkVersion: '4',
      plugins: ['mcp-concerns/serverless', 'serverless-offline'],
      custom: { endpoint: { policy: 'policy.yaml', server: { module: 'server.ts' } } },
      provider: {
        name: 'aws',
        runtime: 'nodejs22.x',
        architecture: 'arm64',
        environment: {
          MCP_CONCERNS_TABLE: { Ref: 'SessionsTable' },
          MCP_CONCERNS_TASKS_TABLE: { Ref: 'TasksTable' },
        },
      },
      functions: {
        mcp: {
          handler: 'build/lambda/index.handler',
          events: [{ httpApi: 'POST /mcp' }],
          environment: { MCP_CONCERNS_TASKS_FUNCTION: { Ref: 'TasksDurableLambdaAlias' } },
        },
        tasks: { handler: 'build/worker/index.handler', durableConfig: { executionTimeout: 60 } },
      },
    };
    project.write('serverless.yml', JSON.stringify(config));
    project.write('policy.yaml', policy('open'));
    const osls = resolve('node_modules/serverless/bin/serverless.js');
    const start = (args: readonly string[]) =>
      spawn(process.execPath, [osls, ...args], { cwd: project.folder });
    await once(start(['bundle']), 'close');
    project.write('policy.yaml', policy('shut'));

    const ports = await freePorts(4);
    const names = ['httpPort', 'lambdaPort', 'websocketPort', 'albPort'];
    const options = names.map((name, index) => `--${name}=${ports[index]}`);
    const child = start([...command.split(' '), '--host=127.0.0.1', '--noPrependStageInUrl', ...options]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        output += text;
      });
    }
    const ended = once(child, 'close');
    try {
      while (!/Server ready/.test(output)) {
        const more = await Promise.race([
          once(child.stderr, 'data'),
          once(child.stdout, 'data'),
          ended.then(() => undefined),
        ]);
        if (more === undefined) throw new Error(output);
      }
      const send = async (method: string, params: object = {}) => {
        const response = await fetch(`http://127.0.0.1:${ports[0]}/mcp?concerns=security:low`, {
          method: 'POST',
          headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
        return response.text();
      };
      const text = await send('tools/list');
      expect([text.includes('"shut"'), text.includes('"open"')]).toEqual([true, false]);
      // Neither the table nor the worker exists here, so the task runs in the function.
      expect(await send('tools/call', { name: 'report', arguments: {} })).toContain('"text":"reported"');
    } finally {
      child.kill('SIGINT');
      await ended;
    }
  },
);

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
