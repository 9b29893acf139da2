import { fileURLToPath } from 'node:url';
import { type Policy, preparePolicy } from '../engine/policy.js';
import { serveLocally } from '../serve/local.js';
import { createMemoryStore } from '../session/memory.js';
import { readArguments } from './arguments.js';
import { UsageError } from './errors.js';
import { aborted, interruptible } from './interrupt.js';
import { readPolicyInput } from './policy-input.js';
import { requestLines } from './request-line.js';
import { loadFactory } from './user-server.js';
import { packageFile } from './version.js';

const DEFAULT_PORT = 8808;

export const help = `Usage: mcp-concerns serve [options]

Serves an MCP server with a policy on 127.0.0.1, as a Lambda function would.
Without options it is the demo, a data vault. Each request is one line on
stderr; Ctrl-C ends it.

Options:
  --policy PATH    a policy file or a folder of them; several are merged
                   (default: the demo's)
  --server MODULE  a module whose default export, or createServer, makes a new
                   SDK v1 server (default: the demo); needs --policy
  --port N         the port (default ${DEFAULT_PORT}); 0 takes any that is free

Exit codes: 0 ended by Ctrl-C; 2 bad arguments, policy, module or port.

Examples:
  mcp-concerns serve
  mcp-concerns serve --server ./server.js --policy mine.yaml --port 0
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  server: { type: 'string' },
  port: { type: 'string' },
} as const;

/**
 * @param argv what stands after `serve`
 * @returns the exit code, once a signal has ended it
 * @throws {CliError} if an argument, the policy or the module is no good
 * @throws {ListenError} if the port is taken
 */
export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments('serve', argv, OPTIONS);
  if (positionals[0] !== undefined) throw new UsageError('serve', `"${positionals[0]}" is unexpected`);
  if (values.server !== undefined && values.policy === undefined) {
    throw new UsageError('serve', "--server needs --policy: the default policy is the demo's");
  }
  const port = readPort(values.port);
  const paths = values.policy ?? [fileURLToPath(packageFile('policies/vault.yaml'))];
  const policy = preparePolicy(readPolicyInput(paths, { exitCode: 2, undone: 'nothing is served' }));
  const server =
    values.server === undefined
      ? await import('../demo/server.js').then(
          ({ createVaultServer }) =>
            () =>
              createVaultServer(),
        )
      : await loadFactory(values.server);

  return interruptible(async (signal) => {
    const endpoint = await serveLocally({
      server,
      policy,
      port,
      store: createMemoryStore(),
      log: (entry) => console.error(requestLines(entry).join('\n')),
    });
    process.stdout.write(welcome(endpoint.url, policy, values.server ?? 'the demo, a data vault'));
    await aborted(signal);
    await endpoint.close();
    return 0;
  });
}

/** How a host is connected, with concerns that this policy has. */
function welcome(url: string, policy: Policy, what: string): string {
  const [preset] = policy.presets.keys();
  const concern = policy.concerns.find(({ setBy, values }) => setBy === 'host' && !('min' in values));
  const value = concern === undefined || 'min' in concern.values ? undefined : concern.values.at(-1);
  const inUrl = preset ?? (concern === undefined ? undefined : `${concern.name}:${value}`);
  return [
    `Serving ${what} on ${url}`,
    '',
    `Connect a host:   claude mcp add --transport http concerns ${url}`,
    ...(inUrl === undefined ? [] : [`Ask in the URL:   ${url}?concerns=${inUrl}`]),
    ...(concern === undefined ? [] : [`or in a header:   Mcp-Concerns: ${concern.name}=${value}`]),
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}

function readPort(text = String(DEFAULT_PORT)): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError('serve', `--port takes a number from 0 to 65535, not "${text}"`);
}
