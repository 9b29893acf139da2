import type { Verified } from '../../engine/claims.js';
import { type CompiledPolicy, preparePolicy } from '../../engine/policy.js';
import { checkCallers } from '../check/callers/check-callers.js';
import { checkClientDefaults } from '../check/callers/check-client.js';
import { checkOpenings } from '../check/callers/check-openings.js';
import { checkCatalog } from '../check/check-catalog.js';
import { checkMeaning } from '../check/check-policy.js';
import { mapsAreComplete, rightParts } from '../check/right-parts.js';
import { checkServers } from '../check/servers/check-servers.js';
import { ownCatalog, type PolicyCatalog } from '../check/servers/own-catalog.js';
import { serverPart, shareConcerns } from '../check/servers/server-parts.js';
import { CATALOG_CODES } from '../language/finding-codes.js';
import { comparePlaces, type Finding } from '../language/findings.js';
import { applyIgnores, type SilencedFinding } from '../language/ignores.js';
import { compilePolicy } from './compile.js';
import { compose } from './compose.js';
import type { Reading } from './reading.js';

/** The result of reading a policy: its findings and, if none of them is an error of the policy, the compiled policy. */
export interface PolicyReport {
  readonly compiled?: CompiledPolicy;
  readonly findings: readonly Finding[];
  /** The warnings that comments silence, `# mcp-concerns-ignore CODE: reason`. */
  readonly silenced: readonly SilencedFinding[];
  /** The text of each file by file name, for the code frames of `formatFindings`. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Checks and compiles the files that were read.
 *
 * @param reading the files
 * @param catalog the catalog of a server; all parts of the policy without errors are also checked against it
 * @param callers some callers that the policy is checked against, by the name of the file that has their claims
 * @param known the names of all servers behind the endpoint, if it has several and they are known
 * @returns all findings of all files and, if none of them is an error of the policy, the compiled policy
 * @example
 * const reading = new Reading(files);
 * reading.add('policy.yaml', 'version: 1');
 * checkReading(reading).findings; // []
 */
export function checkReading(
  { files, findings: read, texts: ownTexts, order: ownOrder, complete, pins, servers }: Reading,
  catalog?: PolicyCatalog,
  callers?: ReadonlyMap<string, Verified>,
  known?: readonly string[],
): PolicyReport {
  const reports = servers.map(
    ({ slug, reading }) => reading && checkReading(reading, ownCatalog(catalog, slug)),
  );
  const others = known?.filter((slug) => servers.every((server) => server.slug !== slug)) ?? [];
  const parts = [
    ...servers.map(({ slug, entry, reading }, index) =>
      serverPart(slug, reading?.files, reports[index]?.compiled, entry),
    ),
    ...others.map((slug) => serverPart(slug)),
  ];
  const shared = parts.length === 0 ? undefined : shareConcerns(files, parts);

  const isComplete = complete && reports.every((report) => report?.compiled !== undefined || !report);
  const { findings: meaning, wrong } = checkMeaning(files, isComplete, parts, shared);
  const findings = [...read, ...meaning];
  const hasErrors = () =>
    findings.some(({ severity, code }) => severity === 'error' && !ABOUT_SERVER.has(code));
  let built = hasErrors() || !isComplete ? undefined : compilePolicy(files, pins, shared?.concerns);
  if (built !== undefined && shared !== undefined) {
    const joined = { files, top: built, parts, shared };
    findings.push(...checkServers(joined, known));
    built = hasErrors() ? undefined : compose(joined);
  }
  const failed = built === undefined;
  if (catalog !== undefined && files.length > 0) {
    const right = failed ? rightParts(files, wrong) : files;
    const scope = { whole: !failed, unmapped: isComplete && mapsAreComplete(files, wrong), parts };
    const compiled = built ?? compilePolicy(right);
    const { pins: _pins, ...unpinned } = compiled;
    const comparable = catalog.encoding === undefined ? compiled : unpinned;
    findings.push(...checkCatalog(right, preparePolicy(comparable), catalog, scope));
  }
  if (built !== undefined) {
    const policy = preparePolicy(built);
    const all = [...files, ...parts.flatMap((part) => part.files)];
    findings.push(...(callers === undefined ? [] : checkCallers(all, policy, callers)));
    findings.push(...checkOpenings(files, built, policy, catalog));
    findings.push(...(policy.defaultsFor.length === 0 ? [] : checkClientDefaults(all, policy)));
  }
  const compiled = hasErrors() ? undefined : built;
  const wasChecked = (code: string): boolean =>
    // Only a policy without errors is compared with what callers lack.
    (built !== undefined || !/^(?:open-without-claim|closed-without-claim|less-shows-more)$/.test(code)) &&
    (!CATALOG_CODES.has(code) ||
      (catalog !== undefined && !failed && (!OF_DEFINITIONS.has(code) || catalog.encoding === undefined)));
  const sources = files.map(({ source }) => source);
  const { findings: left, silenced } = applyIgnores(sources, findings, wasChecked);
  const all = reports.flatMap((report) => report ?? []);
  const order = [...servers.flatMap(({ reading }) => reading?.order ?? []), ...ownOrder];
  return {
    ...(compiled === undefined ? {} : { compiled }),
    findings: [...all.flatMap((report) => report.findings), ...left].sort(byPlace(order)),
    silenced: [...all.flatMap((report) => report.silenced), ...silenced],
    texts: new Map([...ownTexts, ...all.flatMap((report) => [...report.texts])]),
  };
}

/** What facts do not tell. */
const OF_DEFINITIONS: ReadonlySet<string> = new Set([
  'names-hidden',
  'invalid-definition',
  'refused-by-hosts',
]);

/** Errors of a server that leave the policy right: it is used, for the sake of what else there is. */
const ABOUT_SERVER: ReadonlySet<string> = new Set(['invalid-definition']);

function byPlace(files: readonly string[]): (a: Finding, b: Finding) => number {
  const order = new Map(files.map((file, index) => [file, index]));
  return (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || comparePlaces(a, b);
}
