import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { KINDS, preparePolicy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { formatOwnYaml } from '../../policy/language/format-yaml.js';
import { policySchema } from '../../policy/language/schema.js';
import { proposePolicy } from '../../policy/propose/propose-policy.js';
import { writeProposal } from '../../policy/propose/write-proposal.js';
import { writeFirstTests } from '../../policy/testing/first-tests.js';
import { testFileSchema } from '../../policy/testing/test-schema.js';
import { read } from '../../protocol/messages/wire.js';
import { CliError, UsageError } from '../errors.js';
import { primitiveFacts } from '../inputs/primitive-facts.js';
import { ENCODING, readCounted } from '../inputs/token-counter.js';
import { readArguments, refusePositionals } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { INPUT_HELP, INPUT_OPTIONS, parseInput, splitCommand } from '../options/input-options.js';
import { catalogContents, quantity } from '../terminal/quantities.js';
import { writeOutput } from '../terminal/write-output.js';
import { packageFile } from '../version.js';

export const help = `Writes a first policy for a server, with tests that pass.

Usage: mcp-concerns init [options] INPUT

Concerns and values are proposed from the annotations, tags and names that the
server lists. Beside the policy, init writes a test file, the catalog for the
tests, and the JSON schemas for editors.

Options:
  -o, --output FILE     the policy to write (default policy.yaml; missing
                        folders are created); - writes only it, to stdout
  --force               overwrite existing files
${COMMON_HELP}

${INPUT_HELP}

Exit codes: 0 written; 2 invalid arguments, input or files.

Examples:
  mcp-concerns init -o policies/playwright.yaml -- npx @playwright/mcp
  mcp-concerns init -o policies/github.yaml --catalog github.json
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
  ...INPUT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `init`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, the input cannot be read, or a file exists already
 * @example
 * await run(['-o', 'policy.yaml', '--', 'node', 'server.js']);
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('init', own, OPTIONS);
  const { note } = readCommon('init', values);
  refusePositionals('init', positionals);
  parseInput(values, command, 'init');
  const output = values.output ?? 'policy.yaml';
  if (output !== '-' && !/\.ya?ml$/.test(output)) {
    throw new UsageError('init', `-o takes a file that ends in .yaml, not "${output}"`);
  }
  const stem = output.replace(/\.ya?ml$/, '');
  const files = {
    policy: output,
    tests: `${stem}.test.yaml`,
    catalog: values.catalog ?? `${stem}.catalog.json`,
  };
  if (output !== '-' && values.force !== true) refuseToOverwrite(files, values.catalog !== undefined);

  const [catalog, tokensOf] = await readCounted(values, command, 'init');
  if (catalogContents(catalog) === catalogContents({})) {
    throw new CliError('The server lists nothing, so there is nothing to write a policy for.');
  }
  const proposal = proposePolicy(catalog);
  const server = serverName(catalog.server) ?? basename(values.catalog ?? values.url ?? command.join(' '));
  const schema = schemaBeside(output, 'schema.json', policySchema.title);
  const testSchema = schemaBeside(output, 'test.schema.json', testFileSchema.title);
  const text = formatOwnYaml(writeProposal(proposal, { server, schema: schema.path }));
  if (output === '-') {
    process.stdout.write(text);
    return 0;
  }
  writeOutput(files.policy, text);
  for (const { file, missing } of [schema, testSchema]) {
    if (missing)
      writeOutput(join(dirname(output), file), readFileSync(packageFile(`policies/${file}`), 'utf8'));
  }
  if (values.catalog === undefined) {
    const lists = KINDS.flatMap((kind) =>
      catalog[kind] === undefined
        ? []
        : [[kind, catalog[kind].map((each) => primitiveFacts(each, tokensOf(each)))]],
    );
    const facts = { server: versionOf(catalog.server), encoding: ENCODING, ...Object.fromEntries(lists) };
    writeOutput(files.catalog, `${JSON.stringify(facts, null, 2)}\n`);
  }
  const { compiled } = readPolicy(files.policy);
  if (compiled === undefined) {
    throw new CliError(
      `${files.policy} has errors, which is a bug in mcp-concerns. Run "mcp-concerns check" to see them.`,
    );
  }
  const folder = dirname(files.tests);
  const policy = preparePolicy(compiled);
  writeOutput(
    files.tests,
    formatOwnYaml(
      writeFirstTests(policy, catalog, {
        schema: testSchema.path,
        policy: basename(files.policy),
        catalog: relative(folder, files.catalog).replaceAll('\\', '/'),
      }),
    ),
  );
  const concerns = policy.concerns.map(({ name }) => name).join(', ');
  note(`Wrote ${files.policy}: ${catalogContents(catalog)}; concerns ${concerns}.`);
  note(`Wrote ${files.tests}, which passes${values.catalog === undefined ? `, and ${files.catalog}` : ''}.`);
  const guessed = proposal.tools.filter(({ effectFrom }) => effectFrom !== 'hints').length;
  if (guessed > 0)
    note(`The effect of ${quantity(guessed, 'tool')} was guessed from names. Check these first.`);
  return 0;
}

function refuseToOverwrite(
  { policy, tests, catalog }: Readonly<Record<'policy' | 'tests' | 'catalog', string>>,
  given: boolean,
): void {
  const existing = [policy, tests, ...(given ? [] : [catalog])].filter((file) => existsSync(file));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  throw new CliError(
    `${existing.join(' and ')} already ${verb}. Pass another file with -o, or --force to overwrite.`,
  );
}

interface Schema {
  readonly file: string;
  /** The path in the comment for editors at the top of the policy. */
  readonly path: string;
  readonly missing: boolean;
}

/** @returns the schema beside the policy; the one in the package if another file has that name */
function schemaBeside(policy: string, file: string, title: string): Schema {
  const beside = join(dirname(policy), file);
  if (!existsSync(beside)) return { file, path: `./${file}`, missing: true };
  let found: unknown;
  try {
    found = read(JSON.parse(readFileSync(beside, 'utf8')), 'title');
  } catch {
    // The file is not JSON, so it is not our schema.
  }
  const path = found === title ? `./${file}` : `node_modules/mcp-concerns/policies/${file}`;
  return { file, path, missing: false };
}

function serverName(server: unknown): string | undefined {
  if (typeof server === 'string') return server;
  const { name, version } = versionOf(server) ?? {};
  if (typeof name !== 'string') return undefined;
  return typeof version === 'string' ? `${name} ${version}` : name;
}

function versionOf(server: unknown): { name?: unknown; version?: unknown } | undefined {
  if (typeof server !== 'object' || server === null) return undefined;
  return { name: read(server, 'name'), version: read(server, 'version') };
}
