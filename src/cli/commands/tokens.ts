import { preparePolicy } from '../../engine/policy.js';
import { UsageError } from '../errors.js';
import { CAN_DO_ALL } from '../inputs/full-client-capabilities.js';
import { checkSource, SOURCE_HELP, SOURCE_OPTIONS, splitCommand } from '../options/input-options.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { readCounted } from '../inputs/token-counter.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { checkPaths, POLICY_HELP } from '../inputs/policy-and-configuration.js';
import { allCosts } from '../reports/configuration-costs.js';
import { judge, sumOf, weighSurface } from '../reports/list-report.js';
import { singleAsks } from '../reports/sample-configurations.js';
import { type TokenReport, tokensToJson, tokensToText } from '../reports/tokens-text.js';

export const help = `Usage: mcp-concerns tokens --policy PATH [options] SOURCE

Says what a server's definitions cost a host, each primitive and each
configuration: the dearest and the cheapest of all, presets, single values.

Options:
${POLICY_HELP}
  --budget N            fail if a configuration costs more tokens than this
  --format FORMAT       table (default) or json
${COMMON_HELP}

${SOURCE_HELP}

Exit codes: 0 within the budget; 1 over it; 2 bad arguments, policy or source.

Example:
  mcp-concerns tokens --policy policies/vault.yaml --budget 5000 \\
      --url http://127.0.0.1:8808/mcp
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  budget: { type: 'string' },
  format: { type: 'string' },
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `tokens`
 * @returns the exit code
 * @throws {CliError} if an argument, the policy or the source is no good
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('tokens', own, OPTIONS);
  const { paper, errors, quiet } = readCommon('tokens', values);
  const format = oneOf('tokens', '--format', values.format ?? 'table', ['table', 'json'] as const);
  const budget = readBudget(values.budget);
  if (positionals[0] !== undefined) throw new UsageError('tokens', `"${positionals[0]}" is unexpected`);
  const paths = checkPaths('tokens', values.policy);
  checkSource(values, command, 'tokens');

  const failed = { exitCode: 2, undone: 'nothing was counted' } as const;
  const policy = preparePolicy(readPolicyInput(paths, failed, quiet, errors));
  const [catalog, countTokens] = await readCounted(values, command, 'tokens');
  // Every configuration asks for every primitive again.
  const counted = new Map<object, number>();
  const tokensOf = (definition: object): number => {
    const tokens = counted.get(definition) ?? countTokens(definition);
    counted.set(definition, tokens);
    return tokens;
  };
  const weighing = weighSurface(policy, catalog, tokensOf);
  const singles = singleAsks(policy, CAN_DO_ALL).map(({ asked, configuration }) => {
    const report = judge(policy, configuration, weighing);
    const { shown, tokens } = sumOf(report.kinds.flatMap(({ all }) => all));
    return { asked, configuration: report.configuration, shown, tokens: tokens.shown };
  });
  const all = allCosts(policy, catalog, tokensOf, budget);
  const report: TokenReport = { surface: catalog, tokensOf, singles, all, budget };
  process.stdout.write(
    format === 'json' ? `${JSON.stringify(tokensToJson(report), null, 2)}\n` : tokensToText(report, paper),
  );
  if (budget === undefined) return 0;
  return singles.some(({ tokens }) => tokens > budget) || (all?.over ?? 0) > 0 ? 1 : 0;
}

function readBudget(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const budget = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(budget)) return budget;
  throw new UsageError('tokens', `--budget takes a number of tokens, not "${text}"`);
}
