import { basename } from 'node:path';
import { preparePolicy } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { knownServers } from '../inputs/several/known-servers.js';
import { readCounted } from '../inputs/token-counter.js';
import { commandOf } from '../options/command-line.js';
import { docsCommand } from '../options/generated/commands.js';
import { parseInput } from '../options/input-options.js';
import { onePolicyOf } from '../options/policy-option.js';
import { policyPage } from '../pages/policy-page.js';
import { writeOutput } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, the policy has errors, or the input cannot be read
 * @example
 * await run(['policies/vault.yaml', '-o', 'build/vault.md']);
 */
export const { definition, run } = commandOf(docsCommand(), async (line) => {
  const { values, terminal } = line;
  const paths = onePolicyOf(line);
  const input = parseInput(line);

  const servers = await knownServers(values.servers, terminal.env);
  const policy = preparePolicy(readPolicyInput(paths, 'nothing was written', terminal, servers));
  const counted = input ? await readCounted(input, terminal) : undefined;
  const server = counted === undefined ? undefined : read(counted[0].server, 'name');
  const name = basename(paths[0] ?? '').replace(/\.ya?ml$/, '');
  const title = typeof server === 'string' ? `${name}: policy of ${server}` : `Policy ${name}`;
  const output = values.output ?? '-';
  writeOutput(output, policyPage(policy, title, counted), terminal);
  if (output !== '-') terminal.note(`Wrote ${output}.`);
});
