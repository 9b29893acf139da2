import { UsageError } from '../errors.js';
import { checkSource, readSource, splitCommand } from '../options/input-options.js';
import { readCounted } from '../inputs/token-counter.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { readCommon } from '../options/common.js';
import { checkPaths, QUESTION_OPTIONS, questionHelp, readQuestion } from '../inputs/policy-and-configuration.js';
import { judge, toJson, toNames, weighSurface } from '../reports/list-report.js';
import { toTable } from '../reports/list-table.js';
import { plain } from '../terminal/output.js';

export const help = `Usage: mcp-concerns list --policy PATH [options] SOURCE

Shows what a policy leaves of a server's lists, what goes and why. The server,
and rules that read client.capabilities, see a client that can do everything.

${questionHelp('  --format FORMAT       table (default), json, or names: what stays, one a line')}

Exit codes: 0 listed; 2 bad arguments, policy or server.

Examples:
  mcp-concerns list --policy policies/playwright.yaml \\
      --concern effect=read-only -- npx @playwright/mcp
  mcp-concerns list --policy policies/vault.yaml \\
      --concern preset=safe --format names --url http://127.0.0.1:8808/mcp
`;

/**
 * @param argv what stands after `list`
 * @returns the exit code
 * @throws {CliError} if an argument, the policy or the server is no good
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('list', own, QUESTION_OPTIONS);
  const format = oneOf('list', '--format', values.format ?? 'table', ['table', 'json', 'names'] as const);
  const common = readCommon('list', values);
  if (positionals[0] !== undefined) {
    throw new UsageError('list', `"${positionals[0]}" is unexpected: the server's command goes after --`);
  }
  const paths = checkPaths('list', values.policy);
  checkSource(values, command, 'list');

  const { policy, wish } = readQuestion(paths, values, 'the server was not asked', common);
  const [catalog, tokensOf] =
    format === 'names'
      ? [await readSource(values, command, 'list'), () => 0]
      : await readCounted(values, command, 'list');
  const report = judge(policy, wish.configuration, weighSurface(policy, catalog, tokensOf));
  if (policy.settings.enforcement === 'shadow') {
    common.note(
      'note: the policy has enforcement: shadow, so hosts are shown everything until that changes.',
    );
  }
  if (format === 'json') process.stdout.write(`${JSON.stringify(toJson(report), null, 2)}\n`);
  else if (format === 'names') {
    process.stdout.write(
      toNames(report)
        .map((name) => `${plain(name)}\n`)
        .join(''),
    );
  } else process.stdout.write(toTable(policy, report, common.paper));
  return 0;
}
