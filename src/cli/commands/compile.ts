import { KINDS } from '../../engine/policy.js';
import type { Snapshot } from '../../http/known-lists/stub-server.js';
import { UsageError } from '../errors.js';
import {
  checkSource,
  hasSource,
  readSource,
  SOURCE_HELP,
  SOURCE_OPTIONS,
  splitCommand,
} from '../options/input-options.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { contents } from '../terminal/quantities.js';
import { writeOutput } from '../terminal/write-output.js';

export const help = `Usage: mcp-concerns compile POLICY... -o FILE

Checks a policy and writes it as JSON, which a Lambda function loads without
YAML or a schema validator; and what its server lists, for catalog: snapshot.

Options:
  POLICY                a policy file or a folder of them; several are merged
  -o, --output FILE     where to write, folders are made; - is stdout
  --snapshot FILE       where to write what the server lists; needs a server
  --server MODULE       a module whose default export, or createServer, makes
                        a new server
${COMMON_HELP}

${SOURCE_HELP}

Exit codes: 0 written; 1 a policy with errors; 2 bad arguments, file or server.

Examples:
  mcp-concerns compile policies/vault.yaml -o build/vault.json
  mcp-concerns compile policies/everything.yaml -o build/policy.json \\
      --snapshot build/catalog.json -- npx my-mcp-server
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  snapshot: { type: 'string' },
  server: { type: 'string' },
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `compile`
 * @returns the exit code
 * @throws {CliError} if an argument or the policy is no good, or the file cannot be written
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('compile', own, OPTIONS);
  const { output, snapshot, server } = values;
  if (positionals.length === 0) throw new UsageError('compile', 'There is no policy');
  if (!output) throw new UsageError('compile', 'There is no -o FILE; -o - writes to stdout');
  const asked = hasSource(values, command);
  if (server !== undefined && asked)
    throw new UsageError('compile', 'There is a source beside --server; give one');
  if (snapshot === undefined && (server !== undefined || asked)) {
    throw new UsageError('compile', 'There is a server, but no --snapshot FILE for what it lists');
  }
  if (snapshot !== undefined && server === undefined) checkSource(values, command, 'compile');

  const { quiet, note } = readCommon('compile', values);
  const compiled = readPolicyInput(positionals, { exitCode: 1, undone: 'nothing was written' }, quiet);
  const lists =
    snapshot === undefined
      ? undefined
      : server === undefined
        ? await readSource(values, command, 'compile')
        : await takeFromModule(server);
  writeOutput(output, `${JSON.stringify(compiled)}\n`);
  if (output !== '-') {
    const { concerns, primitives, patterns } = compiled;
    const sizes = [primitives, patterns].map((some) =>
      KINDS.reduce((sum, kind) => sum + some[kind].length, 0),
    );
    note(`Wrote ${output}: ${concerns.length} concerns, ${sizes[0]} entries, ${sizes[1]} patterns.`);
  }
  if (snapshot !== undefined && lists !== undefined) {
    const held = KINDS.flatMap((kind) => (lists[kind] === undefined ? [] : [[kind, lists[kind]]]));
    writeOutput(snapshot, `${JSON.stringify({ server: lists.server, ...Object.fromEntries(held) })}\n`);
    note(`Wrote ${snapshot}: ${contents(lists)}.`);
  }
  return 0;
}

/** Only who has a module loads what serves it. */
async function takeFromModule(path: string): Promise<Snapshot> {
  const { loadFactory } = await import('../serving/server-module.js');
  const { takeLists } = await import('../../http/known-lists/stub-server.js');
  const createServer = await loadFactory(path);
  return takeLists(await createServer());
}
