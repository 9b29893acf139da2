import { preparePolicy } from '../engine/policy.js';
import { oneOf, readArguments } from './arguments.js';
import { CAN_DO_ALL } from './can-do-all.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from './common.js';
import { ASK_HELP, ASK_OPTIONS, readAsked } from './concerns.js';
import { UsageError } from './errors.js';
import { plain } from './output.js';
import { readPolicyInput } from './policy-input.js';
import { judge, toJson, toNames, weighSurface } from './report.js';
import { checkSource, readSource, SOURCE_HELP, SOURCE_OPTIONS, splitCommand } from './source.js';
import { toTable } from './table.js';
import { readCounted } from './tokens.js';

export const help = `Usage: mcp-concerns list --policy PATH [options] SOURCE

Shows what a policy leaves of a server's lists, what goes and why. The server,
and rules that read client.capabilities, see a client that can do everything.

Options:
  --policy PATH         a policy file or a folder of them; several are merged
${ASK_HELP}
  --format FORMAT       table (default), json, or names: what stays, one a line
${COMMON_HELP}

${SOURCE_HELP}

Exit codes: 0 listed; 2 bad arguments, policy or server.

Examples:
  mcp-concerns list --policy policies/playwright.yaml \\
      --concern effect=read-only -- npx @playwright/mcp
  mcp-concerns list --policy policies/vault.yaml \\
      --concern preset=safe --format names --url http://127.0.0.1:8808/mcp
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  format: { type: 'string' },
  ...ASK_OPTIONS,
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `list`
 * @returns the exit code
 * @throws {CliError} if an argument, the policy or the server is no good
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('list', own, OPTIONS);
  const paths = values.policy ?? [];
  const format = oneOf('list', '--format', values.format ?? 'table', ['table', 'json', 'names'] as const);
  const { paper, quiet, note } = readCommon('list', values);
  if (positionals[0] !== undefined) {
    throw new UsageError('list', `"${positionals[0]}" is unexpected: the server's command goes after --`);
  }
  if (paths.length === 0) throw new UsageError('list', 'There is no --policy');
  checkSource(values, command, 'list');

  const failed = { exitCode: 2, undone: 'the server was not asked' } as const;
  const policy = preparePolicy(readPolicyInput(paths, failed, quiet));
  const { configuration } = readAsked(policy, values, CAN_DO_ALL);
  for (const { message } of configuration.warnings) note(`warning: ${message}`);

  const [catalog, tokensOf] =
    format === 'names'
      ? [await readSource(values, command, 'list'), () => 0]
      : await readCounted(values, command, 'list');
  const report = judge(policy, configuration, weighSurface(policy, catalog, tokensOf));
  if (policy.settings.enforcement === 'shadow') {
    note('note: the policy has enforcement: shadow, so hosts are shown everything until that changes.');
  }
  if (format === 'json') process.stdout.write(`${JSON.stringify(toJson(report), null, 2)}\n`);
  else if (format === 'names') {
    process.stdout.write(
      toNames(report)
        .map((name) => `${plain(name)}\n`)
        .join(''),
    );
  } else process.stdout.write(toTable(policy, report, paper));
  return 0;
}
