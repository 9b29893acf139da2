import { existsSync } from 'node:fs';
import type { ServerCatalog } from '../../engine/mapping.js';
import { IDENTITY } from '../../engine/mapping.js';
import { type CompiledPolicy, KINDS } from '../../engine/policy.js';
import { compareSides } from '../../policy/diff/compare.js';
import { compareWords } from '../../policy/diff/compare-declarations.js';
import { UsageError } from '../errors.js';
import { type CatalogFile, readCatalogFile } from '../inputs/catalog-file.js';
import {
  checkSource,
  hasSource,
  readSource,
  SOURCE_HELP,
  SOURCE_OPTIONS,
  splitCommand,
} from '../options/input-options.js';
import { readRevision } from '../inputs/policy-revision.js';
import { type TokenCounter, tokenCounterOf } from '../inputs/token-counter.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { toJson, toMarkdown } from '../reports/diff-formats.js';
import { toPretty } from '../reports/diff-pretty.js';
import { type DiffReport, makeReport } from '../reports/diff-report.js';

export const help = `Usage: mcp-concerns diff OLD NEW [options] [source]

Shows what a change of a policy, or of a server, does to hosts: what they no
longer see, what they see now, under which conditions, and what that costs.
OLD and NEW are policies, folders of them, or revisions: HEAD~1:policies/x.yaml

Options:
  --old-catalog FILE  the server as it was; the source is the server as it is
  --format FORMAT     pretty (default), markdown (for a pull request), json
  --fail-on WHAT      exit 1 if anything is hidden, shown, or a configuration
                      shows nothing any more (empty); may be repeated
${COMMON_HELP}

${SOURCE_HELP}
  Without a source: the catalog beside NEW (x.catalog.json), else only the
  names that the policies list.

Exit codes: 0 compared; 1 something of --fail-on; 2 bad arguments or files.

Examples:
  mcp-concerns diff HEAD:policies/vault.yaml policies/vault.yaml
  mcp-concerns diff old.yaml new.yaml --fail-on hidden -- node server.js
`;

const OPTIONS = {
  'old-catalog': { type: 'string' },
  format: { type: 'string' },
  'fail-on': { type: 'string', multiple: true },
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `diff`
 * @returns the exit code
 * @throws {CliError} if an argument, a policy or the server is no good
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('diff', own, OPTIONS);
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
    throw new UsageError('diff', `${problem}: diff takes OLD and NEW`);
  }
  if (hasSource(values, command)) checkSource(values, command, 'diff');

  const [before, after] = [readRevision(old, errors), readRevision(now, errors)];
  const beside = now.replace(/\.ya?ml$/, '.catalog.json');
  const given = hasSource(values, command)
    ? await readSource({ ...values, quiet }, command, 'diff')
    : beside !== now && existsSync(beside)
      ? readCatalogFile(beside)
      : undefined;
  const earlier = values['old-catalog'] === undefined ? given : readCatalogFile(values['old-catalog']);
  const source = hasSource(values, command)
    ? (values.catalog ?? values.url ?? command.join(' '))
    : given && beside;
  const listed = namesOf([before, after]);
  const surfaces = [earlier ?? listed, given ?? listed] as const;

  const difference = compareSides(
    { compiled: before, surface: surfaces[0] },
    { compiled: after, surface: surfaces[1] },
  );
  const report = makeReport({
    names: [old, now],
    compiled: [before, after],
    surfaces,
    source,
    counters: [await counterOf(earlier), await counterOf(given)],
    difference,
    words: compareWords(before, after),
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
  return catalog === undefined ? Promise.resolve(undefined) : tokenCounterOf(catalog);
}

/** All that is known of a server that nobody can ask: the names that the policies give values to. */
function namesOf(policies: readonly CompiledPolicy[]): ServerCatalog {
  return Object.fromEntries(
    KINDS.map((kind) => {
      const names = new Set(policies.flatMap(({ primitives }) => primitives[kind].map(({ name }) => name)));
      return [kind, [...names].map((name) => ({ [IDENTITY[kind]]: name }))];
    }),
  );
}
