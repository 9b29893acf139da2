import { UsageError } from '../errors.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { readPolicyAndConfiguration } from '../inputs/policy-and-configuration.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { saveCatalog } from '../inputs/save-catalog.js';
import { readCounted } from '../inputs/token-counter.js';
import { commandOf, type ProjectUse, type RunnableCommand } from '../options/command-line.js';
import { listCommand } from '../options/generated/commands.js';
import { requireInput } from '../options/input-options.js';
import { decideAll, toJson, toNames, weighCatalog } from '../reports/list-report.js';
import { toTable } from '../reports/list-table.js';
import { unusedText } from '../reports/used/unused-text.js';
import { usedKeyOf, usedTools } from '../serving/used-tools.js';
import { plain } from '../terminal/output.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, the policy has errors, or the input cannot be read
 * @example
 * await command.run(['--policy', 'policies/vault.yaml', '--catalog', 'policies/vault.catalog.json']);
 */
export const command: RunnableCommand = commandOf(
  listCommand(),
  async (line) => {
    const { values, terminal } = line;
    const { format, save } = values;
    if (save !== undefined) {
      await saveCatalog(requireInput(line), save, values.facts === true, terminal);
      return 0;
    }
    if (values.facts === true) throw new UsageError('--facts needs --save');
    if (values.unused !== undefined) {
      const input = requireInput(line);
      const server = usedKeyOf(input);
      if (server === undefined)
        throw new UsageError(
          '--unused takes a command after --, or --url: its calls are known from "serve --stdio"',
        );
      const counted = await readCounted(input, terminal);
      const used = usedTools(terminal.env, server, readDays(values.unused));
      terminal.print(unusedText(counted, used, terminal.paper));
      return 0;
    }
    const { policy, resolved } = await readPolicyAndConfiguration(line, 'nothing was listed');
    const input = requireInput(line);
    // The tokenizer takes longer to load than anything else here, and names have no tokens.
    const [catalog, tokensOf] =
      format === 'names' ? [await readInput(input, terminal), () => 0] : await readCounted(input, terminal);
    const weighed = weighCatalog(policyFor(policy, catalog), catalog, billedBy(tokensOf));
    const report = decideAll(resolved.configuration, weighed);
    if (policy.settings.enforcement === 'shadow') {
      terminal.note('note: the policy has enforcement: shadow, so hosts still see everything.');
    }
    if (policy.hasStableLists) {
      terminal.note(
        'note: the policy has lists: stable, so lists of hosts may be longer. This is what calls can use.',
      );
    }
    if (format === 'json')
      writeJson(
        { protocol: catalog.protocol, unavailable: catalog.unavailable, ...toJson(report, catalog) },
        terminal,
      );
    else if (format === 'names') for (const name of toNames(report)) terminal.print(`${plain(name)}\n`);
    else terminal.print(toTable(policy, report, terminal.paper, catalog.unavailable));
    return 0;
  },
  useOf,
);

/** What a server lists now, and which of its tools were called, only the server itself tells. */
function useOf(argv: readonly string[]): ProjectUse {
  const asksServer = argv.some((each) => /^--(save|unused)(=|$)/.test(each));
  return { policy: 'policy', input: asksServer ? 'server' : 'catalog' };
}

function readDays(text: string): number {
  const days = Number(/^(\d{1,4})d?$/.exec(text)?.[1]);
  if (days > 0) return days;
  throw new UsageError(`--unused takes a number of days, such as 30d, not "${text}"`);
}
