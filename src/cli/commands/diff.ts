import { existsSync } from 'node:fs';
import type { ServerCatalog } from '../../engine/mapping.js';
import { IDENTITY } from '../../engine/mapping.js';
import { type CompiledPolicy, KINDS } from '../../engine/policy.js';
import { compareSides } from '../../policy/diff/compare.js';
import { compareDeclarations } from '../../policy/diff/compare-declarations.js';
import { UsageError } from '../errors.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { type CatalogFile, readCatalogFile } from '../inputs/catalog-file.js';
import { readRevision } from '../inputs/policy-revision.js';
import { readInput } from '../inputs/read-input.js';
import { type TokenCounter, tokenCounterOf } from '../inputs/token-counter.js';
import { oneOf } from '../options/arguments.js';
import { readCommandLine } from '../options/command-line.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { hasInput, INPUT_HELP, INPUT_OPTIONS, parseInput } from '../options/input-options.js';
import { toJson, toMarkdown } from '../reports/diff-formats.js';
import { toPretty } from '../reports/diff-pretty.js';
import { type DiffReport, makeReport } from '../reports/diff-report.js';

export const help = `Shows how a change of a policy, or of a server, affects hosts.

Usage: mcp-concerns diff OLD NEW [options] [INPUT]

Reports which primitives are no longer shown or newly shown, under which
conditions, and the tokens. OLD and NEW are policy files, folders, or git
revisions such as HEAD~1:policies/x.yaml.

Options:
  --old-catalog FILE    the catalog of the server before the change
  --format FORMAT       pretty (default), markdown (for a pull request) or json
  --fail-on WHAT        exit with 1 for hidden, shown, or empty (a configuration
                        that no longer shows any primitive); repeatable
${COMMON_HELP}

${INPUT_HELP}
  Default: the catalog beside NEW (x.catalog.json), else the names in both

Exit codes: 0 compared; 1 --fail-on applies; 2 invalid arguments or files.

Example:
  mcp-concerns diff HEAD:policies/vault.yaml policies/vault.yaml
`;

const OPTIONS = {
  'old-catalog': { type: 'string' },
  format: { type: 'string' },
  'fail-on': { type: 'string', multiple: true },
  ...INPUT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `diff`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, a policy has errors, or the input cannot be read
 * @example
 * await run(['HEAD:policies/vault.yaml', 'policies/vault.yaml']);
 */
export async function run(argv: string[]): Promise<number> {
  const { values, positionals, command } = readCommandLine('diff', argv, OPTIONS, { input: true });
  const { paper, errors, quiet } = readCommon('diff', values);
  const format = oneOf('diff', '--format', values.format ?? 'pretty', [
    'pretty',
    'markdown',
    'json',
  ] as const);
  const failOn = (values['fail-on'] ?? []).map((each) =>
    oneOf('diff', '--fail-on', each, ['hidden', 'shown', 'empty'] as const),
  );
  const [old, now, more] = positionals;
  if (old === undefined || now === undefined || more !== undefined) {
    const problem = more === undefined ? 'There are not two policies' : `"${more}" is unexpected`;
    throw new UsageError('diff', `${problem}. Pass OLD and NEW`);
  }
  if (hasInput(values, command)) parseInput(values, command, 'diff');

  const [before, after] = [readRevision(old, errors), readRevision(now, errors)];
  const beside = now.replace(/\.ya?ml$/, '.catalog.json');
  const given = hasInput(values, command)
    ? await readInput({ ...values, quiet }, command, 'diff')
    : beside !== now && existsSync(beside)
      ? readCatalogFile(beside)
      : undefined;
  const earlier = values['old-catalog'] === undefined ? given : readCatalogFile(values['old-catalog']);
  const input = hasInput(values, command)
    ? (values.catalog ?? values.url ?? command.join(' '))
    : given && beside;
  const listed = namesOf([before, after]);
  const catalogs = [earlier ?? listed, given ?? listed] as const;

  const difference = compareSides(
    { compiled: before, catalog: catalogs[0] },
    { compiled: after, catalog: catalogs[1] },
  );
  const report = makeReport({
    names: [old, now],
    compiled: [before, after],
    catalogs,
    input,
    counters: [await counterOf(earlier), await counterOf(given)],
    difference,
    words: compareDeclarations(before, after),
  });
  if (format === 'json') process.stdout.write(`${JSON.stringify(toJson(report), null, 2)}\n`);
  else process.stdout.write(format === 'markdown' ? toMarkdown(report) : toPretty(report, paper));
  return failOn.some((what) => happens(report, what)) ? 1 : 0;
}

function happens({ groups, newlyEmpty }: DiffReport, what: 'hidden' | 'shown' | 'empty'): boolean {
  if (what === 'empty') return newlyEmpty !== undefined;
  return groups.some((group) => group[what].length > 0);
}

function counterOf(catalog: CatalogFile | undefined): Promise<TokenCounter | undefined> {
  return catalog === undefined ? Promise.resolve(undefined) : tokenCounterOf(catalog).then(billedBy);
}

/** @returns a catalog of the names in the policies, for use without an input */
function namesOf(policies: readonly CompiledPolicy[]): ServerCatalog {
  return Object.fromEntries(
    KINDS.map((kind) => {
      const names = new Set(policies.flatMap(({ primitives }) => primitives[kind].map(({ name }) => name)));
      return [kind, [...names].map((name) => ({ [IDENTITY[kind]]: name }))];
    }),
  );
}
