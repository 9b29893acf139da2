import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ServerCatalog } from '../../core/engine/mapping.js';
import { pinsOf } from '../../core/engine/pins.js';
import { writeLock } from '../../core/policy/compile/lock.js';
import { formatOwnYaml } from '../../core/policy/language/format-yaml.js';
import { type Proposal, proposePolicy } from '../../core/policy/propose/propose-policy.js';
import { writeProposal } from '../../core/policy/propose/write-proposal.js';
import type { CountedCatalog } from '../inputs/token-counter.js';
import { catalogContents, quantity } from '../terminal/quantities.js';
import { jsonText } from '../terminal/write-output.js';
import { packageFile } from '../version.js';
import {
  factsOf,
  type PolicyFiles,
  SCHEMAS,
  schemaBeside,
  testsText,
  type WrittenFiles,
} from './policy-files.js';
import { checkProposal, testsPass } from './proposal-check.js';
import { actionsLine, checkLine, effectsLine, serverLines, topicsLine } from './proposal-report.js';
import { silenceServerTexts } from './server-texts.js';

/** A proposed policy, and the texts of its files. */
export interface ProposedFiles {
  readonly proposal: Proposal;
  /** By path relative to the policy, which is the first. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Proposes a policy for one server.
 *
 * @param output the path of the policy
 * @param catalog what the server lists
 * @param server what the server is called
 * @param present whether the policy also has the titles and the hints that the server does not give
 * @returns the proposal, and the texts of the policy and of the files that it includes, by path relative to it; the policy is
 *   the first
 * @example
 * proposeFiles('policies/files.yaml', catalog, 'files').texts.get('files.yaml');
 */
export function proposeFiles(
  output: string,
  catalog: ServerCatalog,
  server: string,
  present = false,
): ProposedFiles {
  const schema = schemaBeside(output, 'schema.json').path;
  const folder = basename(output).replace(/\.ya?ml$/, '');
  const proposal = proposePolicy(catalog);
  const { text, parts } = writeProposal(proposal, { server, schema, folder, present });
  const texts = new Map([
    [basename(output), formatOwnYaml(text)],
    ...[...parts].map(([path, part]) => [path, isFormatted(part) ? part : formatOwnYaml(part)] as const),
  ]);
  return { proposal, texts };
}

/** Files of entries are written as `fmt` would. Only long lines and escapes differ, and formatting thousands of lines takes seconds. */
const isFormatted = (part: string): boolean => /^(?:[\x20-\x5b\x5d-\x7e]{0,110}\n)*$/.test(part);

/**
 * Checks a proposed policy, and writes its tests, its pins and the catalog for them.
 *
 * @param files the paths
 * @param proposed the policy, from `proposeFiles`
 * @param input what the server lists, and how its tokens are counted
 * @param isGiven whether the catalog is a file that exists
 * @returns all texts to write, by path, and what to tell about them
 * @throws {CliError} if the policy would have errors, which is a bug
 * @example
 * writePolicy([], firstPolicy(files, proposed, [catalog, tokensOf], false).texts);
 */
export function firstPolicy(
  files: PolicyFiles,
  { proposal, texts: proposed }: ProposedFiles,
  [catalog, tokensOf]: CountedCatalog,
  isGiven: boolean,
): WrittenFiles {
  // The tests run on what the catalog file will contain: facts, if init writes it.
  const known = isGiven ? catalog : factsOf(catalog, tokensOf);
  const first = checkProposal(proposed, catalog);
  const policyFiles = silenceServerTexts(proposed, first.findings);
  const { policy, findings } = policyFiles === proposed ? first : checkProposal(policyFiles, catalog);
  const tests = testsText(files, policy, known);
  const passed = testsPass(tests, files.tests, policy, known);

  const folder = dirname(files.policy);
  const texts = new Map([...policyFiles].map(([path, content]) => [join(folder, path), content]));
  for (const file of Object.keys(SCHEMAS)) {
    const { beside, missing } = schemaBeside(files.policy, file);
    if (missing) texts.set(beside, readFileSync(packageFile(`policies/${file}`), 'utf8'));
  }
  if (!isGiven) texts.set(files.catalog, jsonText(known));
  texts.set(files.tests, tests);
  // A catalog of facts has no definitions to pin.
  if (catalog.encoding === undefined) texts.set(files.lock, writeLock(pinsOf(catalog)));

  const concerns = policy.concerns.map(({ name }) => name).join(', ');
  const [, ...parts] = proposed.keys();
  const silenced = first.findings.length - findings.length;
  const notes = [
    `Wrote ${files.policy}: ${catalogContents(catalog)}; concerns ${concerns}.`,
    ...(parts.length > 0 ? [`It includes ${parts.join(', ')}.`] : []),
    `Wrote ${[files.tests, files.catalog, files.lock].filter((file) => texts.has(file)).join(', ')}.`,
    checkLine(findings, passed),
    ...serverLines(findings),
    ...(silenced > 0
      ? [
          `Silenced: ${quantity(silenced, 'warning')} that no value can fix, each with a comment that says why.`,
        ]
      : []),
    ...(proposal.tools.length > 0
      ? [effectsLine(proposal.tools), ...actionsLine(proposal.tools), topicsLine(proposal)]
      : []),
  ];
  return { texts, changes: [], notes };
}
