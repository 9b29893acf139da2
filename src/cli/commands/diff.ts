import { IDENTITY, type ServerCatalog } from '../../core/engine/mapping.js';
import { byKind, type CompiledPolicy, preparePolicy } from '../../core/engine/policy.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { type CatalogFile, catalogAt, catalogBeside } from '../inputs/catalog-file.js';
import { readRevision } from '../inputs/policy-revision.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { tokenCounterOf } from '../inputs/token-counter.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { diffCommand, type Options } from '../options/generated/commands.js';
import { parseInput } from '../options/input-options.js';
import { toMarkdown } from '../reports/diff/markdown.js';
import { toPretty } from '../reports/diff/pretty.js';
import { type DiffReport, makeReport } from '../reports/diff/report.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, a policy has errors, or the input cannot be read
 * @example
 * await command.run(['HEAD:policies/vault.yaml', 'policies/vault.yaml']);
 */
export const command: RunnableCommand = commandOf(diffCommand(), async (line) => {
  const { values, positionals, command, terminal } = line;
  const { format } = values;
  const [old, now] = positionals;
  const input = parseInput(line);

  const [before, after] = [readRevision(old, terminal), readRevision(now, terminal)];
  const beside = input === undefined ? catalogBeside(now) : undefined;
  const given = input ? await readInput(input, terminal) : catalogAt(beside);
  const earlier = catalogAt(values.oldCatalog) ?? given;
  const source = input === undefined ? beside : (values.catalog ?? values.url ?? command.join(' '));
  const listed = namesOf([before, after]);
  const sideOf = async (name: string, compiled: CompiledPolicy, catalog: CatalogFile | undefined) => ({
    name,
    compiled: comparable(compiled, catalog),
    catalog: catalog ?? listed,
    count: catalog && billedBy(await tokenCounterOf(catalog)),
  });

  const report = makeReport(await sideOf(old, before, earlier), await sideOf(now, after, given), source);
  if (format === 'json') writeJson(report, terminal);
  else terminal.print(format === 'markdown' ? toMarkdown(report) : toPretty(report, terminal.paper));
  return values.failOn?.some((what) => happens(report, what)) === true ? 1 : 0;
});

function happens(
  { groups, newlyEmpty }: DiffReport,
  what: NonNullable<Options['diff']['failOn']>[number],
): boolean {
  if (what === 'empty') return newlyEmpty !== null;
  // Under a new name, it is gone for whoever uses the old one.
  return groups.some((group) => group[what].length + group.renamed.length > 0);
}

/** Leaves the pins out of a policy if its catalog has no definitions to compare with them. */
function comparable(compiled: CompiledPolicy, catalog: CatalogFile | undefined): CompiledPolicy {
  if (policyFor(preparePolicy(compiled), catalog).pins !== undefined) return compiled;
  const { pins: _pins, ...unpinned } = compiled;
  return unpinned;
}

/** @returns a catalog of the names in the policies, for use without an input */
function namesOf(policies: readonly CompiledPolicy[]): ServerCatalog {
  return byKind((kind) => {
    const names = new Set(policies.flatMap(({ primitives }) => primitives[kind].map(({ name }) => name)));
    return [...names].map((name) => ({ [IDENTITY[kind]]: name }));
  });
}
