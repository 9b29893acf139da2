import { describeAccepted } from '../../engine/configuration.js';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../engine/policy.js';
import { LivePolicy } from '../../gate/request/live-policy.js';
import { UsageError } from '../errors.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { oneOf } from '../options/arguments.js';
import { readCommandLine } from '../options/command-line.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { onePolicyOf, POLICY_HELP, POLICY_OPTION } from '../options/policy-option.js';
import { readPreferences } from '../options/preferences.js';
import { chooseServer } from '../serving/choose-server.js';
import { withPanel } from '../serving/panel-default.js';
import { LIMIT_OPTIONS, readLimits } from '../serving/serving-limits.js';
import { watchPolicy } from '../serving/watch-policy.js';
import { interruptible } from '../terminal/interrupt.js';

const DEFAULT_PORT = 8808;

export const help = `Serves an MCP server with a policy on 127.0.0.1, to try the policy in a host.

Usage: mcp-concerns serve [POLICY] [options] [-- COMMAND [ARGS...]]

A saved policy takes effect at once. Each request writes one line to stderr.
Press Ctrl-C to stop.

Options:
${POLICY_HELP}
  -- COMMAND [ARGS...]  an MCP server over stdio, one process for each session
  --url URL             an MCP server over Streamable HTTP, with
                        --header 'NAME: VALUE' (repeatable)
  --server MODULE       a module whose default export, or createServer, returns
                        a new SDK v1 server
  --stdio               serve over stdio, for hosts that start their servers
  --concern NAME=VALUE  with --stdio: a preference for hosts that send none
  --port N              the port (default ${DEFAULT_PORT}); 0 picks a free port
  --isolation WHO       shared, per-session (default) or per-request servers
  --sessions N, --idle MINUTES, --silence SECONDS
                        when servers end (default 32, 30, 120)
  --panel MODE          on (default), read-only or off: the page, "switch" and,
                        unless settings.panel says otherwise, tools and prompts
${COMMON_HELP}

Exit codes: 0 stopped; 2 invalid arguments, policy, server or port.

Example:
  mcp-concerns serve --policy policies/playwright.yaml -- npx @playwright/mcp
`;

const OPTIONS = {
  ...POLICY_OPTION,
  server: { type: 'string' },
  url: { type: 'string' },
  header: { type: 'string', multiple: true },
  concern: { type: 'string', multiple: true },
  stdio: { type: 'boolean' },
  port: { type: 'string' },
  panel: { type: 'string' },
  ...LIMIT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `serve`
 * @returns the exit code, after a signal or the host has ended the command
 * @throws {CliError} if an argument is not valid, the policy has errors, or the module cannot be used
 * @throws {ListenError} if the port is in use
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--', 'node', 'server.js']);
 */
export async function run(argv: string[]): Promise<number> {
  const use = { policy: 'policy', input: true, positionals: 'policies' } as const;
  const { values, positionals, command } = readCommandLine('serve', argv, OPTIONS, use);
  const { quiet, errors, note } = readCommon('serve', values);
  const port = readPort(values.port);
  const panel = oneOf('serve', '--panel', values.panel ?? 'on', ['off', 'read-only', 'on']);
  const limits = readLimits(values);
  const choice = chooseServer(values, command);
  if (values.policy === undefined && positionals.length === 0) {
    throw new UsageError(
      'serve',
      'There is no policy. Pass --policy PATH; "mcp-concerns init -- COMMAND" writes a first policy for a server',
    );
  }
  const paths = onePolicyOf('serve', values.policy, positionals);
  const failure = { exitCode: 2, consequence: 'nothing is served' } as const;
  const prepare = (compiled: CompiledPolicy): Policy => preparePolicy(withPanel(compiled, panel));
  const policy = prepare(readPolicyInput(paths, failure, quiet, errors));
  const preferences = defaultPreferences(policy, values);
  // The SDK is loaded only after all arguments are valid.
  const [{ createControl }, { openServer }, { serveHttp, serveStdio }] = await Promise.all([
    import('../control/control.js'),
    import('../serving/open-server.js'),
    import('../serving/transports.js'),
  ]);
  const opened = await openServer(choice);
  const live = new LivePolicy(policy);
  const control = panel !== 'off' ? createControl(opened.name, paths) : undefined;

  return interruptible(async (signal) => {
    const stop = watchPolicy(paths, { live, prepare, note, paper: errors });
    try {
      const serving = { opened, policy: live, control, note, signal, limits };
      return values.stdio === true ? await serveStdio(serving, preferences) : await serveHttp(serving, port);
    } finally {
      stop();
    }
  });
}

/** @returns the preferences of `--concern`, for hosts that send none */
function defaultPreferences(
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
      '--concern needs --stdio. Over HTTP, put preferences into the URL, for example /mcp?concerns=NAME:VALUE',
    );
  }
  const operator = policy.concerns.find(
    ({ name, setBy }) => setBy === 'operator' && concern.some((each) => each.startsWith(`${name}=`)),
  );
  if (operator !== undefined) {
    throw new UsageError('serve', `${operator.name} is set by the operator, so --concern cannot set it`);
  }
  return describeAccepted(readPreferences(policy, { concern }).configuration);
}

function readPort(text = String(DEFAULT_PORT)): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError('serve', `--port takes a number from 0 to 65535, not "${text}"`);
}
