import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import { applyFixes } from '../../core/policy/language/edits/apply-fixes.js';
import type { Finding } from '../../core/policy/language/findings.js';
import { FormatError, formatYaml } from '../../core/policy/language/format-yaml.js';
import { readPolicyText } from '../../core/policy/language/read-yaml.js';
import { quantity } from '../terminal/quantities.js';
import { writePolicy } from '../terminal/write-policy.js';
import { checkFiles } from './check-files.js';

/** A correct name can reveal the next finding, as the values below a key that was wrong. */
const MAX_ROUNDS = 10;

/**
 * Makes the fixes of all findings in policy files and in the files that they include, until no fix is left. Then it formats these
 * files: indentation, quotes and long lines. Comments, order and meaning do not change.
 *
 * @param policies the paths of each policy
 * @param catalog the catalog of a server, if the policies are checked against one
 * @param open the names of primitives that the fixes may open
 * @returns a sentence about what was fixed
 * @throws {CliError} if a fix opens something else, or a file cannot be written
 * @example
 * fixFiles([['policies/vault.yaml']], undefined); // 'Fixed 2 findings in 1 file.'
 */
export function fixFiles(
  policies: readonly (readonly string[])[],
  catalog: PolicyCatalog | undefined,
  open: readonly string[] = [],
): string {
  let count = 0;
  const changed = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { findings, texts } = checkFiles(policies, catalog);
    const written = new Map<string, string>();
    for (const [file, before] of texts) {
      const own = findings.filter((finding) => finding.file === file && !PROTECTING.has(finding.code));
      const { text, applied } = applyFixes(before, own);
      if (text === before) continue;
      count += applied;
      written.set(file, text);
      changed.add(file);
    }
    if (written.size === 0) break;
    write(policies, written, catalog, open);
  }
  const formatted = new Map(
    [...checkFiles(policies, catalog).texts].flatMap(([file, before]) => {
      const text = formattedText(before, file);
      return text === undefined || text === before ? [] : [[file, text] as const];
    }),
  );
  if (formatted.size > 0) write(policies, formatted, catalog, open);
  const fixed =
    count === 0
      ? 'No finding has a fix.'
      : `Fixed ${quantity(count, 'finding')} in ${quantity(changed.size, 'file')}.`;
  return formatted.size === 0 ? fixed : `${fixed} Formatted ${quantity(formatted.size, 'file')}.`;
}

function write(
  policies: readonly (readonly string[])[],
  written: ReadonlyMap<string, string>,
  catalog: PolicyCatalog | undefined,
  open: readonly string[],
): void {
  const changes = policies.map((paths) => {
    const before = readPolicy(paths, catalog).texts;
    const changed = new Map([...written].filter(([file]) => before.has(file)));
    return { before, changed, catalog, open };
  });
  writePolicy(changes);
}

/** Returns a formatted file; `undefined` for one that is not YAML yet, or cannot be formatted without a change of meaning. */
function formattedText(text: string, file: string): string | undefined {
  if (readPolicyText(text, file).findings.length > 0) return undefined;
  try {
    return formatYaml(text);
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    return undefined;
  }
}

/**
 * An entry or a name in a rule can be the only line that protects a tool, so a person removes or renames it: the list may be
 * incomplete, and a similar name may be that of another tool.
 */
const PROTECTING: ReadonlySet<Finding['code']> = new Set(['dead-entry', 'shadowed-entry', 'unlisted-name']);
