import { preparePolicy } from '../../../engine/policy.js';
import { serverCard } from '../../../http/server-card/card.js';
import { read } from '../../../wire/messages.js';
import { CliError, UsageError } from '../../errors.js';
import { readPolicyInput } from '../../inputs/policy-input.js';
import { readInput } from '../../inputs/read-input.js';
import { readCommandLine } from '../../options/command-line.js';

import { defineInputCommand, requireInput } from '../../options/input-options.js';
import { onePolicyOf, policyOption } from '../../options/policy-option.js';

export const definition = defineInputCommand(
  'card',
  `Prints the Server Card of an endpoint: what a host can choose before it connects.

The card names the presets and the values of the policy, and no tool. The
endpoint itself serves the same card at URL/server-card.`,
  `Exit codes: 0 printed; 2 invalid arguments, policy or input.

Example:
  mcp-concerns card --policy policy.yaml --endpoint https://mcp.example/mcp \\
      -- npx @playwright/mcp`,
)
  .addOption(policyOption())
  .option('--endpoint <url>', 'the public URL of the endpoint');

/**
 * @param argv the arguments after `card`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, the policy has errors, or the input does not name its server
 * @example
 * await run(['--policy', 'policy.yaml', '--endpoint', 'https://mcp.example/mcp', '--catalog', 'catalog.json']);
 */
export async function run(argv: string[]): Promise<number> {
  const { values, command, terminal } = readCommandLine(definition, argv);
  const paths = onePolicyOf('card', values.policy);
  const url = readEndpoint(values.endpoint);
  const input = requireInput(values, command, 'card');
  const policy = preparePolicy(readPolicyInput(paths, 'no card was printed', terminal));
  const { server } = await readInput(input, terminal.quiet);
  const text = (name: string): string | undefined => {
    const value = read(server, name);
    return typeof value === 'string' ? value : undefined;
  };
  const name = text('name');
  if (name === undefined) {
    throw new CliError(
      'The input does not name its server. Use the server itself, or a catalog file of "mcp-concerns snapshot".',
    );
  }
  const identity = {
    name,
    version: text('version') ?? '',
    title: text('title'),
    description: text('description'),
  };
  process.stdout.write(`${JSON.stringify(serverCard(policy, identity, url), null, 2)}\n`);
  return 0;
}

function readEndpoint(text: string | undefined): string {
  if (text === undefined) throw new UsageError('card', 'There is no endpoint. Pass --endpoint URL');
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(
      'card',
      `--endpoint takes a URL that begins with https:// or http://, not "${text}"`,
    );
  }
  return text.replace(/[?#].*$/, '');
}
