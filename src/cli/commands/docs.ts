import { basename } from 'node:path';
import { preparePolicy } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { readCounted } from '../inputs/token-counter.js';
import { oneOf } from '../options/arguments.js';
import { readCommandLine } from '../options/command-line.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { hasInput, INPUT_HELP, INPUT_OPTIONS, parseInput } from '../options/input-options.js';
import { onePolicyOf, POLICY_ARGUMENT_HELP, POLICY_OPTION } from '../options/policy-option.js';
import { toHtml, toMarkdown } from '../pages/blocks.js';
import { policyPage } from '../pages/policy-page.js';
import { weighCatalog } from '../reports/list-report.js';
import { writeOutput } from '../terminal/write-output.js';

export const help = `Writes a page about a policy for people who do not read YAML.

Usage: mcp-concerns docs [POLICY] [options] [INPUT]

The page has the concerns, values and presets. With an input, it also has what
each of them shows, and the tokens.

Options:
${POLICY_ARGUMENT_HELP}
  -o, --output FILE     the file to write (missing folders are created); default
                        stdout
  --format FORMAT       markdown (default) or html
${COMMON_HELP}

${INPUT_HELP}

Exit codes: 0 written; 2 invalid arguments, policy or input.

Example:
  mcp-concerns docs policies/vault.yaml --catalog policies/vault.catalog.json
`;

const OPTIONS = {
  ...POLICY_OPTION,
  output: { type: 'string', short: 'o' },
  format: { type: 'string' },
  ...INPUT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `docs`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, the policy has errors, or the input cannot be read
 * @example
 * await run(['policies/vault.yaml', '--format', 'html', '-o', 'build/vault.html']);
 */
export async function run(argv: string[]): Promise<number> {
  const use = { policy: 'policy', input: true, positionals: 'policies' } as const;
  const { values, positionals, command } = readCommandLine('docs', argv, OPTIONS, use);
  const { quiet, errors, note } = readCommon('docs', values);
  const format = oneOf('docs', '--format', values.format ?? 'markdown', ['markdown', 'html'] as const);
  const paths = onePolicyOf('docs', values.policy, positionals);
  const withInput = hasInput(values, command) || values.header !== undefined;
  if (withInput) parseInput(values, command, 'docs');

  const failure = { exitCode: 2, consequence: 'nothing was written' } as const;
  const policy = preparePolicy(readPolicyInput(paths, failure, quiet, errors));
  const counted = withInput ? await readCounted(values, command, 'docs') : undefined;
  const weighed = counted && weighCatalog(policy, counted[0], billedBy(counted[1]));
  const server = counted === undefined ? undefined : read(counted[0].server, 'name');
  const name = basename(paths[0] ?? '').replace(/\.ya?ml$/, '');
  const title = typeof server === 'string' ? `${name}: policy of ${server}` : `Policy ${name}`;
  const page = policyPage(policy, title, weighed);
  const output = values.output ?? '-';
  writeOutput(output, format === 'html' ? toHtml(page, title) : toMarkdown(page));
  if (output !== '-') note(`Wrote ${output}.`);
  return 0;
}
