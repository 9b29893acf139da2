import type { Verified } from '../../core/engine/claims.js';
import type { CompiledPolicy } from '../../core/engine/policy.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import type { PolicyReport } from '../../core/policy/compile/check-reading.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import type { Finding } from '../../core/policy/language/findings.js';
import type { SilencedFinding } from '../../core/policy/language/ignores.js';
import { withoutSessions } from './session-findings.js';

/**
 * Checks several policies, each on its own.
 *
 * @param policies the paths of each policy
 * @param catalog the catalog of a server, if the policies are checked against one
 * @param callers the claims of some callers, by the name of their file
 * @param servers the names of all servers behind the endpoint, if it has several
 * @returns the findings and the texts of all files, and the policies without errors
 * @example
 * checkFiles([['policies/vault.yaml'], ['policies/everything.yaml']], undefined).findings;
 */
export function checkFiles(
  policies: readonly (readonly string[])[],
  catalog: PolicyCatalog | undefined,
  callers?: ReadonlyMap<string, Verified>,
  servers?: readonly string[],
): Pick<PolicyReport, 'findings' | 'silenced' | 'texts'> & { readonly compiled: readonly CompiledPolicy[] } {
  const texts = new Map<string, string>();
  const compiled: CompiledPolicy[] = [];
  const found = new Map<string, Finding>();
  const silenced = new Map<string, SilencedFinding>();
  for (const paths of policies) {
    const report = readPolicy(paths, catalog, callers, servers);
    if (report.compiled !== undefined) compiled.push(report.compiled);
    for (const [name, text] of report.texts) texts.set(name, text);
    // A file that several policies include is read once for each of them, but its findings are reported once.
    for (const finding of withoutSessions(report.findings)) found.set(JSON.stringify(finding), finding);
    for (const finding of report.silenced) silenced.set(JSON.stringify(finding), finding);
  }
  return { findings: [...found.values()], silenced: [...silenced.values()], texts, compiled };
}
