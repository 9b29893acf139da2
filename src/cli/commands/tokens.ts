import { listedUnder } from '../../core/engine/added-tools.js';
import { preparePolicy } from '../../core/engine/policy.js';
import { present } from '../../core/engine/present.js';
import { getOrMake } from '../../core/once.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { knownServers } from '../inputs/several/known-servers.js';
import { readCounted } from '../inputs/token-counter.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { tokensCommand } from '../options/generated/commands.js';
import { requireInput } from '../options/input-options.js';
import { onePolicyOf } from '../options/policy-option.js';
import { configurationCosts } from '../reports/configuration-costs.js';
import { decideAll, shownTools, sumOf, weighCatalog } from '../reports/list-report.js';
import { resentAfter } from '../reports/prompt-cost.js';
import { sampleConfigurations } from '../reports/sample-configurations.js';
import { type TokenReport, tokensToJson, tokensToText } from '../reports/tokens-text.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, the policy has errors, or the input cannot be read
 * @example
 * await command.run(['--policy', 'policies/vault.yaml', '--catalog', 'policies/vault.catalog.json']);
 */
export const command: RunnableCommand = commandOf(tokensCommand(), async (line) => {
  const { values, terminal } = line;
  const { format, budget } = values;
  const paths = onePolicyOf(line);
  const input = requireInput(line);

  const servers = await knownServers(values.servers, terminal.env);
  const compiled = readPolicyInput(paths, 'nothing was counted', terminal, servers);
  const [catalog, countTokens] = await readCounted(input, terminal);
  const policy = policyFor(preparePolicy(compiled), catalog);
  // Every configuration uses the tokens of every primitive, so each is counted once.
  const counted = new Map<object, number>();
  const countOnce = (definition: object): number =>
    getOrMake(counted, definition, () => countTokens(definition));
  const presented = new Map<object, object>(
    catalog.tools?.map((tool) => [tool, present(policy, 'tools', tool)]),
  );
  const tokensOf = (definition: object): number => countOnce(presented.get(definition) ?? definition);
  // Facts have neither titles nor descriptions to compare.
  const replaced = catalog.encoding === undefined ? [...presented] : [];
  const gain = replaced.reduce((sum, [own, given]) => sum + countOnce(own) - countOnce(given), 0);
  const billedOf = billedBy(tokensOf);
  const weighed = weighCatalog(policy, catalog, billedOf);
  let withoutPreferences: object[] | undefined;
  const singles = sampleConfigurations(policy, FULL_CLIENT_CAPABILITIES).map(
    ({ preferences, configuration }) => {
      const report = decideAll(listedUnder(configuration), weighed);
      const { shown, tokens } = sumOf(report.all);
      const ofCalls = decideAll(configuration, weighed);
      const tools = shownTools(report);
      // The first configuration is the one without preferences.
      withoutPreferences ??= tools;
      const resent = resentAfter(withoutPreferences, tools, billedOf);
      return {
        preferences,
        configuration: ofCalls.configuration,
        shown,
        tokens: tokens.shown,
        resent,
        stability: tokens.shown - sumOf(ofCalls.all).tokens.shown,
      };
    },
  );
  const all = configurationCosts(policy, catalog, billedOf, budget);
  const report: TokenReport = { catalog, tokensOf, singles, all, budget, gain };
  if (format === 'json') writeJson(tokensToJson(report), terminal);
  else terminal.print(tokensToText(report, terminal.paper));
  if (budget === undefined) return 0;
  return singles.some(({ tokens }) => tokens > budget) || (all?.over ?? 0) > 0 ? 1 : 0;
});
