import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pinsOf } from '../../engine/pins.js';
import { writeLock } from '../../policy/compile/lock.js';
import { formatOwnYaml } from '../../policy/language/format-yaml.js';
import { policySchema } from '../../policy/language/schema.js';
import { proposePolicy } from '../../policy/propose/propose-policy.js';
import { writeProposal } from '../../policy/propose/write-proposal.js';
import { testFileSchema } from '../../policy/testing/test-schema.js';
import { CliError, UsageError } from '../errors.js';
import { readCounted } from '../inputs/token-counter.js';
import { readCommandLine } from '../options/command-line.js';

import { defineInputCommand, requireInput } from '../options/input-options.js';
import {
  factsOf,
  jsonText,
  type PolicyFiles,
  schemaBeside,
  serverName,
  testsText,
} from '../proposals/policy-files.js';
import { checkProposal, testsPass } from '../proposals/proposal-check.js';
import { checkLine, effectsLine, topicsLine } from '../proposals/proposal-report.js';
import { silenceServerTexts } from '../proposals/server-texts.js';
import { updateFiles } from '../proposals/update-files.js';
import { catalogContents, quantity } from '../terminal/quantities.js';
import { writeFiles } from '../terminal/write-files.js';
import { packageFile } from '../version.js';

export const definition = defineInputCommand(
  'init',
  `Writes a first policy for a server, with tests that pass.

Concerns and values come from annotations, tags, names and descriptions. Beside
the policy, init writes tests, the catalog for them, and schemas for editors.
"mcp-concerns init --lambda --help" is about files that deploy an endpoint.`,
  `Exit codes: 0 written; 2 invalid arguments, input or files.

Examples:
  mcp-concerns init -o policies/playwright.yaml -- npx -y @playwright/mcp
  mcp-concerns init -o policies/github.yaml --catalog github.json`,
)
  .option(
    '-o, --output <file>',
    'the policy to write (missing folders are created); - writes only it, to stdout',
    'policy.yaml',
  )
  .option('--force', 'overwrite existing files')
  .option('--present', 'also write the titles and hints of tools that the server does not give')
  .option('--update', 'add entries for what is new, remove those of what is gone, and keep all other lines');

/**
 * @param argv the arguments after `init`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, the input cannot be read, or a file exists already
 * @example
 * await run(['-o', 'policy.yaml', '--', 'node', 'server.js']);
 */
export async function run(argv: string[]): Promise<number> {
  // A project has a policy already, so only its update is about the project.
  const use = argv.includes('--update') ? ({ policy: 'output', input: true } as const) : false;
  const line = readCommandLine(definition, argv, use);
  const { values, command, terminal } = line;
  const input = requireInput(line);
  const output = values.output ?? 'policy.yaml';
  if (output !== '-' && !/\.ya?ml$/.test(output)) {
    throw new UsageError('init', `-o takes a file that ends in .yaml, not "${output}"`);
  }
  const stem = output.replace(/\.ya?ml$/, '');
  const files = {
    policy: output,
    tests: `${stem}.test.yaml`,
    lock: `${stem}.lock.yaml`,
    catalog: values.catalog ?? `${stem}.catalog.json`,
  };
  if (values.update === true) {
    if (output === '-' || values.force === true || values.present === true) {
      const option = output === '-' ? '-o -' : values.force === true ? '--force' : '--present';
      throw new UsageError(
        'init',
        `--update edits the files of the policy, so ${option} has no meaning with it`,
      );
    }
    return updateFiles(files, input, terminal);
  }
  if (output !== '-' && values.force !== true) refuseToOverwrite(files, values.catalog !== undefined);

  const [catalog, tokensOf] = await readCounted(input, terminal.quiet);
  if (catalogContents(catalog) === catalogContents({})) {
    throw new CliError('The server lists nothing, so there is nothing to write a policy for.');
  }
  const proposal = proposePolicy(catalog);
  const server = serverName(catalog.server) ?? basename(values.catalog ?? values.url ?? command.join(' '));
  const schema = schemaBeside(output, 'schema.json', policySchema.title);
  const testSchema = schemaBeside(output, 'test.schema.json', testFileSchema.title);
  const facts = { server, schema: schema.path, folder: basename(stem), present: values.present === true };
  const written = writeProposal(proposal, facts);
  const text = formatOwnYaml(written.text);
  if (output === '-') {
    if (written.parts.size > 0) throw new CliError(TOO_LONG_FOR_STDOUT);
    process.stdout.write(text);
    return 0;
  }
  const proposed = new Map([
    [basename(output), text],
    ...[...written.parts].map(
      ([path, part]) => [path, isFormatted(part) ? part : formatOwnYaml(part)] as const,
    ),
  ]);
  // The policy is checked against what the catalog file will contain: facts, if init writes it.
  const known = values.catalog === undefined ? factsOf(catalog, tokensOf) : catalog;
  const first = checkProposal(proposed, known);
  const policyFiles = silenceServerTexts(proposed, first.findings);
  const { policy, findings } = policyFiles === proposed ? first : checkProposal(policyFiles, known);
  const tests = testsText(files, testSchema.path, policy, known);
  const passed = testsPass(tests, files.tests, policy, known);

  const folder = dirname(output);
  const texts = new Map([...policyFiles].map(([path, content]) => [join(folder, path), content]));
  for (const { file, missing } of [schema, testSchema]) {
    if (missing) texts.set(join(folder, file), readFileSync(packageFile(`policies/${file}`), 'utf8'));
  }
  if (values.catalog === undefined) texts.set(files.catalog, jsonText(known));
  texts.set(files.tests, tests);
  // A catalog of facts has no definitions to pin.
  if (catalog.encoding === undefined) texts.set(files.lock, writeLock(pinsOf(catalog)));
  writeFiles(texts);
  const concerns = policy.concerns.map(({ name }) => name).join(', ');
  terminal.note(`Wrote ${files.policy}: ${catalogContents(catalog)}; concerns ${concerns}.`);
  if (written.parts.size > 0) terminal.note(`It includes ${[...written.parts.keys()].join(', ')}.`);
  terminal.note(`Wrote ${files.tests}${values.catalog === undefined ? ` and ${files.catalog}` : ''}.`);
  terminal.note(checkLine(findings, passed));
  const silenced = first.findings.length - findings.length;
  if (silenced > 0) {
    terminal.note(
      `Silenced: ${quantity(silenced, 'warning')} that no value can fix, each with a comment that says why.`,
    );
  }
  if (proposal.tools.length > 0) {
    terminal.note(effectsLine(proposal.tools));
    terminal.note(topicsLine(proposal));
  }
  return 0;
}

/** Files of entries are written as `fmt` would. Only long lines and escapes differ, and formatting thousands of lines takes seconds. */
const isFormatted = (part: string): boolean => /^(?:[\x20-\x5b\x5d-\x7e]{0,110}\n)*$/.test(part);

const TOO_LONG_FOR_STDOUT =
  'The policy needs several files, so it cannot be written to stdout. Pass a file with -o.';

function refuseToOverwrite(
  { policy, tests, catalog, lock }: PolicyFiles & { lock: string },
  given: boolean,
): void {
  const existing = [policy, tests, lock, ...(given ? [] : [catalog])].filter((file) => existsSync(file));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  throw new CliError(
    `${existing.join(' and ')} already ${verb}. Pass another file with -o, or --force to overwrite.`,
  );
}
