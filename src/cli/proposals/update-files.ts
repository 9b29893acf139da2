import { existsSync, readFileSync } from 'node:fs';
import type { Policy } from '../../core/engine/policy.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { loadPolicy } from '../../core/policy/compile/load.js';
import { CliError } from '../errors.js';
import { readCatalogFile } from '../inputs/catalog-file.js';
import type { CountedCatalog } from '../inputs/token-counter.js';
import { jsonText } from '../terminal/write-output.js';
import { factsOf, type PolicyFiles, testsText, type WrittenFiles } from './policy-files.js';
import { updatePolicy } from './policy-update.js';
import { testsPass } from './proposal-check.js';
import { actionsLine, checkLine, effectsLine } from './proposal-report.js';

/**
 * Updates a policy, its catalog, and its tests if nobody has changed them.
 *
 * @param files the paths
 * @param input what the server lists, and how its tokens are counted
 * @param isGiven whether the catalog is a file that exists
 * @param open the names of new primitives that a person agreed to show
 * @param present whether new tools also get the titles and the hints that the server does not give
 * @returns the texts that change, by path, and what to tell about them
 * @throws {CliError} if the policy cannot be updated. Then no file has changed
 */
export function updateFiles(
  files: PolicyFiles,
  [catalog, tokensOf]: CountedCatalog,
  isGiven: boolean,
  open: readonly string[] = [],
  present = false,
): WrittenFiles {
  if (!existsSync(files.policy)) {
    throw new CliError(
      `${files.policy} does not exist, so it cannot be updated. Run the command without --update.`,
    );
  }
  const known = !isGiven && existsSync(files.catalog) ? readCatalogFile(files.catalog) : undefined;
  const current = isGiven ? catalog : factsOf(catalog, tokensOf);
  const updated = updatePolicy(files.policy, current, known, open, present);
  const { policy, findings, added, removed, kept, review, tools } = updated;
  const tests = updatedTests(files, policy, current, known);
  const texts = new Map<string, string>();
  if (!isGiven) texts.set(files.catalog, jsonText(current));
  if (tests?.isOwn) texts.set(files.tests, tests.text);
  const fail = `Some tests of ${files.tests} fail now. Run "mcp-concerns test ${files.tests}" to see which.`;
  const notes = [
    `Updated ${files.policy}: ${changeText('added', added)}, ${changeText('removed', removed)}.`,
    ...(review.length === 0
      ? []
      : [
          `New and left hidden: ${review.slice(0, 10).join(', ')}. An entry without your concerns would show ${review.length === 1 ? 'it' : 'them'} to every host. Move ${review.length === 1 ? 'it' : 'each'} from "review" to "primitives", with values.`,
        ]),
    ...(kept.length === 0
      ? []
      : [
          `Kept ${kept.slice(0, 10).join(', ')}, because ${kept.length === 1 ? 'it hides' : 'they hide'} what the server may add again.`,
        ]),
    ...(tests?.isOwn ? [`Wrote ${files.tests} again: nobody had changed it.`] : []),
    ...(tests?.isOwn === false && !tests.passed ? [fail] : []),
    checkLine(findings, tests?.passed),
    ...(tools.length > 0 ? [effectsLine(tools), ...actionsLine(tools)] : []),
  ];
  const change = {
    before: updated.before,
    changed: updated.files,
    catalog: current,
    open: [...open, ...updated.open],
  };
  return { texts, changes: [change], notes };
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
  // The tests record what init wrote, if they are what it would write for the files as they are now.
  const isOwn = known !== undefined && existing === testsText(files, loadPolicy(files.policy), known);
  const text = isOwn ? testsText(files, policy, catalog) : existing;
  return { text, isOwn, passed: testsPass(text, files.tests, policy, catalog) };
}
