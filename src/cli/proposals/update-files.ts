import { existsSync, readFileSync } from 'node:fs';
import type { Policy } from '../../engine/policy.js';
import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import { loadPolicy } from '../../policy/compile/load.js';
import { testFileSchema } from '../../policy/testing/test-schema.js';
import { CliError } from '../errors.js';
import { readCatalogFile } from '../inputs/catalog-file.js';
import { readCounted } from '../inputs/token-counter.js';
import type { Input } from '../options/input-options.js';
import type { Terminal } from '../options/terminal.js';
import { writeFiles } from '../terminal/write-files.js';
import { factsOf, jsonText, type PolicyFiles, schemaBeside, testsText } from './policy-files.js';
import { updatePolicy } from './policy-update.js';
import { testsPass } from './proposal-check.js';
import { checkLine, effectsLine } from './proposal-report.js';

/**
 * Updates a policy, its catalog, and its tests if nobody has changed them.
 *
 * @param files the paths
 * @param input where the primitives come from
 * @param terminal how the command writes its output
 * @returns the exit code
 * @throws {CliError} if the policy cannot be updated. Then no file has changed
 */
export async function updateFiles(
  files: PolicyFiles,
  input: Input,
  { note, quiet }: Terminal,
): Promise<number> {
  if (!existsSync(files.policy)) {
    throw new CliError(
      `${files.policy} does not exist, so it cannot be updated. Run the command without --update.`,
    );
  }
  const known =
    input.from !== 'catalog' && existsSync(files.catalog) ? readCatalogFile(files.catalog) : undefined;
  const [catalog, tokensOf] = await readCounted(input, quiet);
  const current = input.from !== 'catalog' ? factsOf(catalog, tokensOf) : catalog;
  const updated = updatePolicy(files.policy, current, known);
  const { policy, findings, added, removed, tools } = updated;
  const tests = updatedTests(files, policy, current, known);
  const texts = new Map(updated.files);
  if (input.from !== 'catalog') texts.set(files.catalog, jsonText(current));
  if (tests?.isOwn) texts.set(files.tests, tests.text);
  writeFiles(texts);

  note(`Updated ${files.policy}: ${changeText('added', added)}, ${changeText('removed', removed)}.`);
  if (tests !== undefined) {
    if (tests.isOwn) note(`Wrote ${files.tests} again: nobody had changed it.`);
    else if (!tests.passed) {
      note(`Some tests of ${files.tests} fail now. Run "mcp-concerns test ${files.tests}" to see which.`);
    }
  }
  note(checkLine(findings, tests?.passed));
  if (tools.length > 0) note(effectsLine(tools));
  return 0;
}

function changeText(verb: string, names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ');
  return names.length === 0 ? `nothing ${verb}` : `${verb} ${shown}${names.length > 10 ? ', ...' : ''}`;
}

/** @returns the tests for the updated policy; `undefined` if there is no test file */
function updatedTests(
  files: PolicyFiles,
  policy: Policy,
  catalog: PolicyCatalog,
  known: PolicyCatalog | undefined,
): { readonly text: string; readonly isOwn: boolean; readonly passed: boolean } | undefined {
  if (!existsSync(files.tests)) return undefined;
  const existing = readFileSync(files.tests, 'utf8');
  const schema = schemaBeside(files.policy, 'test.schema.json', testFileSchema.title).path;
  const written = (testedPolicy: Policy, tested: PolicyCatalog): string =>
    testsText(files, schema, testedPolicy, tested);
  // The tests record what init wrote, if they are what it would write for the files as they are now.
  const isOwn = known !== undefined && existing === written(loadPolicy(files.policy), known);
  const text = isOwn ? written(policy, catalog) : existing;
  return { text, isOwn, passed: testsPass(text, files.tests, policy, catalog) };
}
