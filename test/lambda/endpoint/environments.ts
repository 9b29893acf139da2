import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The packaged function in many environments. Each concurrent call has its own worker, and so its own memory. */
export interface Environments {
  /** @returns the URL of the function of `serverless.yml` (`mcp`), or of another function by name */
  url(name?: string): string;
  /** @returns the output of all environments so far */
  output(): string;
  close(): Promise<void>;
}

/**
 * Starts the bundle under `osls offline`, as `serverless.yml` configures it, with other environment variables.
 *
 * @param variables the variables of the function
 * @param others the variables of further functions of the same bundle, by name
 * @param program the variables of the process that runs all of them
 */
export async function startEnvironments(
  variables: Record<string, string>,
  others: Record<string, Record<string, string>>,
  program: Record<string, string>,
): Promise<Environments> {
  const folder = mkdtempSync(join(tmpdir(), 'environments-'));
  for (const name of ['node_modules', 'build', 'templates'])
    symlinkSync(join(process.cwd(), name), join(folder, name));
  for (const name of ['serverless.yml', 'endpoint.yml']) copyFileSync(name, join(folder, name));
  const fromTemplate = (name: string): string => `\${file(./serverless.yml):${name}}`;
  const config = {
    service: fromTemplate('service'),
    frameworkVersion: '4',
    configValidationMode: 'error',
    plugins: ['serverless-offline'],
    params: fromTemplate('params'),
    provider: {
      name: 'aws',
      runtime: fromTemplate('provider.runtime'),
      region: fromTemplate('provider.region'),
      timeout: 29,
    },
    functions: {
      mcp: {
        handler: fromTemplate('functions.mcp.handler'),
        events: fromTemplate('functions.mcp.events'),
        environment: variables,
      },
      ...Object.fromEntries(
        Object.entries(others).map(([name, environment]) => [
          name,
          {
            handler: fromTemplate('functions.mcp.handler'),
            events: [{ httpApi: `POST /${name}` }],
            environment,
          },
        ]),
      ),
    },
  };
  // Every JSON text is YAML.
  writeFileSync(join(folder, 'serverless.offline.yml'), JSON.stringify(config));

  const [http, lambda, websocket, alb] = await freePorts(4);
  const ports = Object.entries({
    httpPort: http,
    lambdaPort: lambda,
    websocketPort: websocket,
    albPort: alb,
  });
  const child = spawn(
    process.execPath,
    [
      join(process.cwd(), 'node_modules/serverless/bin/serverless.js'),
      'offline',
      '--config=serverless.offline.yml',
      '--host=127.0.0.1',
      ...ports.map(([name, port]) => `--${name}=${port}`),
    ],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', ...program },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const close = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await started(child, () => output);
  } catch (cause) {
    await close();
    throw cause;
  }
  return { url: (name = 'mcp') => `http://127.0.0.1:${http}/${name}`, output: () => output, close };
}

async function started(child: ChildProcess, output: () => string): Promise<void> {
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', () => output().includes('Server ready') && resolve());
    }
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`osls offline did not start:\n${output()}`);
  });
  await Promise.race([ready, ended]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  const gone = await Promise.race([exit, sleep(5000, 'late', { ref: false })]);
  if (gone !== 'late') return;
  child.kill('SIGKILL');
  await exit;
}

/** Asks the system for free ports, all at the same time so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
