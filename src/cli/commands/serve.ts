import { describeAccepted } from '../../engine/configuration.js';
import { type Policy, preparePolicy } from '../../engine/policy.js';
import { LivePolicy } from '../../protocol/request/live-policy.js';
import { UsageError } from '../errors.js';
import { splitCommand } from '../options/input-options.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { readAsked } from '../options/preferences.js';
import { chooseServer } from '../serving/choose-server.js';
import { watchPolicy } from '../serving/watch-policy.js';
import { interruptible } from '../terminal/interrupt.js';

const DEFAULT_PORT = 8808;

export const help = `Usage: mcp-concerns serve [options] [-- COMMAND [ARGS...]]

Serves an MCP server with a policy on 127.0.0.1, so that a policy can be tried
in a real host. A policy that is saved takes effect at once. Each request writes
one line to stderr. Press Ctrl-C to stop.

Options:
  --policy PATH         a policy file or a folder of them (required; may be
                        repeated: several are merged)
  -- COMMAND [ARGS...]  a server over stdio, one process for each session
  --url URL             a server over Streamable HTTP, with
                        --header 'NAME: VALUE' (may be repeated)
  --server MODULE       a module whose default export, or createServer, makes
                        a new SDK v1 server
  --stdio               speak stdio instead of HTTP, for hosts that start
                        their servers themselves, with
                        --concern NAME=VALUE for one that asks for nothing
  --port N              the port (default ${DEFAULT_PORT}); 0 takes any that is free
${COMMON_HELP}, not even requests

Exit codes: 0 ended; 2 bad arguments, policy, server or port.

Examples:
  mcp-concerns serve --policy policies/playwright.yaml -- npx @playwright/mcp
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  server: { type: 'string' },
  url: { type: 'string' },
  header: { type: 'string', multiple: true },
  concern: { type: 'string', multiple: true },
  stdio: { type: 'boolean' },
  port: { type: 'string' },
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `serve`
 * @returns the exit code, once a signal or the host has ended it
 * @throws {CliError} if an argument, the policy or the module is no good
 * @throws {ListenError} if the port is taken
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('serve', own, OPTIONS);
  if (positionals[0] !== undefined) throw new UsageError('serve', `"${positionals[0]}" is unexpected`);
  const { quiet, errors, note } = readCommon('serve', values);
  const port = readPort(values.port);
  const chosen = chooseServer(values, command);
  const paths = values.policy;
  if (paths === undefined) throw new UsageError('serve', 'needs --policy PATH');
  const input = { exitCode: 2, undone: 'nothing is served' } as const;
  const policy = preparePolicy(readPolicyInput(paths, input, quiet, errors));
  const wish = readWish(policy, values);
  // Only who really serves loads the SDK.
  const [{ openServed }, { serveHttp, serveStdio }] = await Promise.all([
    import('../serving/open-server.js'),
    import('../serving/transports.js'),
  ]);
  const served = await openServed(chosen);
  const live = new LivePolicy(policy);

  return interruptible(async (signal) => {
    const stop = watchPolicy(paths, live, note, errors);
    try {
      return values.stdio === true
        ? await serveStdio(served, live, wish, signal)
        : await serveHttp(served, live, port, signal, note);
    } finally {
      stop();
    }
  });
}

/** What `--concern` asks for in a host's name. */
function readWish(
  policy: Policy,
  {
    concern = [],
    stdio,
  }: { readonly concern?: readonly string[] | undefined; readonly stdio?: boolean | undefined },
): Readonly<Record<string, unknown>> {
  if (concern.length === 0) return {};
  if (stdio !== true) {
    throw new UsageError(
      'serve',
      '--concern needs --stdio: over HTTP the URL asks, as in /mcp?concerns=NAME:VALUE',
    );
  }
  const operator = policy.concerns.find(
    ({ name, setBy }) => setBy === 'operator' && concern.some((each) => each.startsWith(`${name}=`)),
  );
  if (operator !== undefined) {
    throw new UsageError('serve', `${operator.name} is set by the operator, so no host can ask for it`);
  }
  return describeAccepted(policy, readAsked(policy, { concern }).configuration);
}

function readPort(text = String(DEFAULT_PORT)): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError('serve', `--port takes a number from 0 to 65535, not "${text}"`);
}
