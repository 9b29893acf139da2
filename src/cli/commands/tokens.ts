import { preparePolicy } from '../../engine/policy.js';
import { UsageError } from '../errors.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/full-client-capabilities.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { readCounted } from '../inputs/token-counter.js';
import { oneOf } from '../options/arguments.js';
import { readCommandLine } from '../options/command-line.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { INPUT_HELP, INPUT_OPTIONS, parseInput } from '../options/input-options.js';
import { onePolicyOf, POLICY_ARGUMENT_HELP, POLICY_OPTION } from '../options/policy-option.js';
import { configurationCosts } from '../reports/configuration-costs.js';
import { decideAll, type ListReport, sumOf, weighCatalog } from '../reports/list-report.js';
import { resentAfter } from '../reports/prompt-cost.js';
import { sampleConfigurations } from '../reports/sample-configurations.js';
import { type TokenReport, tokensToJson, tokensToText } from '../reports/tokens-text.js';

export const help = `Counts the tokens of each primitive and each configuration.

Usage: mcp-concerns tokens [POLICY] [options] INPUT

Reports the most expensive and the cheapest of all configurations, and the
tokens for each preset and each single value: of all that is shown, and of the
part that a switch from no preferences sends again ("resends").

Options:
${POLICY_ARGUMENT_HELP}
  --budget N            exit with 1 if a configuration costs more tokens
  --format FORMAT       table (default) or json
${COMMON_HELP}

${INPUT_HELP}

Exit codes: 0 within the budget; 1 over it; 2 invalid arguments or input.

Example:
  mcp-concerns tokens --policy policies/vault.yaml --budget 5000 \\
      --url http://127.0.0.1:8808/mcp
`;

const OPTIONS = {
  ...POLICY_OPTION,
  budget: { type: 'string' },
  format: { type: 'string' },
  ...INPUT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `tokens`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, the policy has errors, or the input cannot be read
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--catalog', 'policies/vault.catalog.json']);
 */
export async function run(argv: string[]): Promise<number> {
  const use = { policy: 'policy', input: true, positionals: 'policies' } as const;
  const { values, positionals, command } = readCommandLine('tokens', argv, OPTIONS, use);
  const { paper, errors, quiet } = readCommon('tokens', values);
  const format = oneOf('tokens', '--format', values.format ?? 'table', ['table', 'json'] as const);
  const budget = readBudget(values.budget);
  const paths = onePolicyOf('tokens', values.policy, positionals);
  parseInput(values, command, 'tokens');

  const failure = { exitCode: 2, consequence: 'nothing was counted' } as const;
  const policy = preparePolicy(readPolicyInput(paths, failure, quiet, errors));
  const [catalog, countTokens] = await readCounted(values, command, 'tokens');
  // Every configuration uses the tokens of every primitive, so each is counted once.
  const counted = new Map<object, number>();
  const tokensOf = (definition: object): number => {
    const tokens = counted.get(definition) ?? countTokens(definition);
    counted.set(definition, tokens);
    return tokens;
  };
  const billedOf = billedBy(tokensOf);
  const weighed = weighCatalog(policy, catalog, billedOf);
  const toolsOf = ({ kinds }: ListReport): object[] => {
    const decided = kinds.find(({ kind }) => kind === 'tools')?.all ?? [];
    return (catalog.tools ?? []).filter((_tool, index) => decided[index]?.decision.effect === 'show');
  };
  let withoutPreferences: object[] | undefined;
  const singles = sampleConfigurations(policy, FULL_CLIENT_CAPABILITIES).map(
    ({ preferences, configuration }) => {
      const report = decideAll(configuration, weighed);
      const { shown, tokens } = sumOf(report.kinds.flatMap(({ all }) => all));
      const tools = toolsOf(report);
      // The first configuration is the one without preferences.
      withoutPreferences ??= tools;
      const resent = resentAfter(withoutPreferences, tools, billedOf);
      return { preferences, configuration: report.configuration, shown, tokens: tokens.shown, resent };
    },
  );
  const all = configurationCosts(policy, catalog, billedOf, budget);
  const report: TokenReport = { catalog, tokensOf, singles, all, budget };
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
