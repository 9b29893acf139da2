import { KINDS } from '../engine/policy.js';
import { readArguments } from './arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from './common.js';
import { UsageError } from './errors.js';
import { readPolicyInput } from './policy-input.js';
import { writeOutput } from './write-output.js';

export const help = `Usage: mcp-concerns compile POLICY... -o FILE

Checks a policy and writes it as JSON, which a Lambda function loads without
YAML or a schema validator.

Options:
  POLICY                a policy file or a folder of them; several are merged
  -o, --output FILE     where to write, folders are made; - is stdout
${COMMON_HELP}

Exit codes: 0 written; 1 the policy has errors; 2 bad arguments or files.

Examples:
  mcp-concerns compile policies/vault.yaml -o build/vault.json
  mcp-concerns compile common.yaml policies/vault.yaml -o - | jq .digest
`;

const OPTIONS = { output: { type: 'string', short: 'o' }, ...COMMON_OPTIONS } as const;

/**
 * @param argv what stands after `compile`
 * @returns the exit code
 * @throws {CliError} if an argument or the policy is no good, or the file cannot be written
 */
export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments('compile', argv, OPTIONS);
  const { output } = values;
  if (positionals.length === 0) throw new UsageError('compile', 'There is no policy');
  if (!output) throw new UsageError('compile', 'There is no -o FILE; -o - writes to stdout');

  const { quiet, note } = readCommon('compile', values);
  const compiled = readPolicyInput(positionals, { exitCode: 1, undone: 'nothing was written' }, quiet);
  const json = `${JSON.stringify(compiled)}\n`;
  writeOutput(output, json);
  if (output === '-') return 0;
  const { concerns, primitives, patterns } = compiled;
  const sizes = [primitives, patterns].map((some) => KINDS.reduce((sum, kind) => sum + some[kind].length, 0));
  note(`Wrote ${output}: ${concerns.length} concerns, ${sizes[0]} entries, ${sizes[1]} patterns.`);
  return 0;
}
