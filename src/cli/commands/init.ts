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
import { CliError, UsageError } from '../errors.js';
import { factsOf } from '../inputs/primitive-facts.js';
import { checkSource, SOURCE_HELP, SOURCE_OPTIONS, splitCommand } from '../options/input-options.js';
import { ENCODING, readCounted } from '../inputs/token-counter.js';
import { readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { contents, many } from '../terminal/quantities.js';
import { writeOutput } from '../terminal/write-output.js';
import { packageFile } from '../version.js';

export const help = `Usage: mcp-concerns init [options] SOURCE

Writes a first policy for a server, from what it says of itself: concerns from
annotations, tags and names, every primitive mapped. Beside it come tests that
pass, a catalog of facts for them, and the schemas for editors.

Options:
  -o, --output FILE     the policy, folders are made (policy.yaml); - is stdout,
                        and nothing beside
  --force               overwrite files that are there
${COMMON_HELP}

${SOURCE_HELP}

Exit codes: 0 written; 2 bad arguments, source or files.

Examples:
  mcp-concerns init -o policies/playwright.yaml -- npx @playwright/mcp
  mcp-concerns init -o policies/github.yaml --catalog github.json
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `init`
 * @returns the exit code
 * @throws {CliError} if an argument or the source is no good, or a file is there already
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('init', own, OPTIONS);
  const { note } = readCommon('init', values);
  if (positionals[0] !== undefined) {
    throw new UsageError('init', `"${positionals[0]}" is unexpected: the server's command goes after --`);
  }
  checkSource(values, command, 'init');
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
  if (contents(catalog) === contents({})) {
    throw new CliError('The server lists nothing, so there is nothing to write a policy for.');
  }
  const proposal = proposePolicy(catalog);
  const server = serverName(catalog.server) ?? basename(values.catalog ?? values.url ?? command.join(' '));
  const [schema, testSchema] = SCHEMAS.map((each) => schemaBeside(output, each)) as [Schema, Schema];
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
      catalog[kind] === undefined ? [] : [[kind, catalog[kind].map((each) => factsOf(each, tokensOf(each)))]],
    );
    const facts = { server: versionOf(catalog.server), encoding: ENCODING, ...Object.fromEntries(lists) };
    writeOutput(files.catalog, `${JSON.stringify(facts, null, 2)}\n`);
  }
  const { compiled } = readPolicy(files.policy);
  if (compiled === undefined) {
    throw new CliError(`${files.policy} has errors, which is a fault of mcp-concerns; "check" shows them.`);
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
  note(`Wrote ${files.policy}: ${contents(catalog)}; concerns ${concerns}.`);
  note(`Wrote ${files.tests}, which passes${values.catalog === undefined ? `, and ${files.catalog}` : ''}.`);
  const guessed = proposal.tools.filter(({ effectBy }) => effectBy !== 'hints').length;
  if (guessed > 0) note(`The effect of ${many(guessed, 'tool')} was judged by names: look at these first.`);
  return 0;
}

function refuseToOverwrite(
  { policy, tests, catalog }: Readonly<Record<'policy' | 'tests' | 'catalog', string>>,
  given: boolean,
): void {
  const there = [policy, tests, ...(given ? [] : [catalog])].filter((file) => existsSync(file));
  if (there.length === 0) return;
  const are = there.length === 1 ? 'is' : 'are';
  throw new CliError(`${there.join(' and ')} ${are} there already; give -o another file, or --force.`);
}

const SCHEMAS = [
  { file: 'schema.json', title: policySchema.title },
  { file: 'test.schema.json', title: testFileSchema.title },
] as const;

interface Schema {
  readonly file: string;
  /** As the policy beside it names it. */
  readonly path: string;
  readonly missing: boolean;
}

/** A schema beside the policy; the package's own where something else has that name. */
function schemaBeside(policy: string, { file, title }: (typeof SCHEMAS)[number]): Schema {
  const beside = join(dirname(policy), file);
  if (!existsSync(beside)) return { file, path: `./${file}`, missing: true };
  let found: unknown;
  try {
    found = (JSON.parse(readFileSync(beside, 'utf8')) as { title?: unknown }).title;
  } catch {
    // Something else, then.
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
  const { name, version } = server as { name?: unknown; version?: unknown };
  return { name, version };
}
