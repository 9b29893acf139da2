import { preparePolicy } from '../engine/policy.js';
import { oneOf, readArguments } from './arguments.js';
import { configurationOf } from './concerns.js';
import { UsageError } from './errors.js';
import { interruptible } from './interrupt.js';
import { paperOf, plain } from './output.js';
import { readPolicyInput } from './policy-input.js';
import { judge, toJson, toNames } from './report.js';
import { CAN_DO_ALL, takePrimitives } from './server-primitives.js';
import { toTable } from './table.js';
import { loadTokenCounter } from './tokens.js';
import { VERSION } from './version.js';

export const help = `Usage: mcp-concerns list --policy PATH [options] -- COMMAND [ARGS...]

Starts an MCP server, takes its lists, and shows what a policy leaves of them,
what goes and why. The server, and rules that read client.capabilities, see a
client that can do everything.

Options:
  --policy PATH         a policy file or a folder of them; several are merged
  --concern NAME=VALUE  what a host asks for; may be repeated:
                          effect=read-only
                          purpose=forms,testing  (several, where they are taken)
                          preset=safe            (a preset of the policy)
                        What the operator sets is taken as a verified claim.
  --format FORMAT       table (default), json, or names: what stays, one a line
  --timeout SECONDS     how long the server may take to start and list (30)

Exit codes: 0 listed; 2 bad arguments, policy or server.

Examples:
  mcp-concerns list --policy policies/playwright.yaml \\
      --concern effect=read-only -- npx @playwright/mcp
  mcp-concerns list --policy policies/vault.yaml \\
      --concern preset=safe --format names -- node server.js
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  concern: { type: 'string', multiple: true },
  format: { type: 'string' },
  timeout: { type: 'string' },
} as const;

/**
 * @param argv what stands after `list`
 * @returns the exit code
 * @throws {CliError} if an argument, the policy or the server is no good
 */
export async function run(argv: string[]): Promise<number> {
  const end = argv.indexOf('--');
  const { values, positionals } = readArguments('list', end === -1 ? argv : argv.slice(0, end), OPTIONS);
  const [command, ...args] = end === -1 ? [] : argv.slice(end + 1);
  const paths = values.policy ?? [];
  const format = oneOf('list', '--format', values.format ?? 'table', ['table', 'json', 'names'] as const);
  const seconds = readSeconds(values.timeout);
  if (positionals[0] !== undefined) {
    throw new UsageError('list', `"${positionals[0]}" is unexpected: the server's command goes after --`);
  }
  if (paths.length === 0) throw new UsageError('list', 'There is no --policy');
  if (!command)
    throw new UsageError('list', 'There is no server: its command goes after --, as in -- node server.js');

  const policy = preparePolicy(readPolicyInput(paths, { exitCode: 2, undone: 'the server was not started' }));
  const configuration = configurationOf(policy, values.concern ?? [], CAN_DO_ALL);
  for (const { message } of configuration.warnings) console.error(`warning: ${message}`);

  const clientInfo = { name: 'mcp-concerns', version: VERSION };
  const [lists, tokensOf] = await interruptible(async (signal) => {
    const both = await Promise.all([
      takePrimitives(command, args, { seconds, signal, clientInfo }),
      format === 'names' ? () => 0 : loadTokenCounter(),
    ]);
    signal.throwIfAborted();
    return both;
  });
  const report = judge(policy, configuration, lists, tokensOf);
  if (policy.settings.enforcement === 'shadow') {
    console.error(
      'note: the policy has enforcement: shadow, so hosts are shown everything until that changes.',
    );
  }
  if (format === 'json') process.stdout.write(`${JSON.stringify(toJson(report), null, 2)}\n`);
  else if (format === 'names')
    process.stdout.write(
      toNames(report)
        .map((name) => `${plain(name)}\n`)
        .join(''),
    );
  else process.stdout.write(toTable(policy, report, paperOf(process.stdout)));
  return 0;
}

/** A day is more than any server takes; timers of Node overflow after 24 of them. */
const MAX_SECONDS = 86_400;

function readSeconds(text = '30'): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError('list', `--timeout takes a number of seconds up to ${MAX_SECONDS}, not "${text}"`);
}
