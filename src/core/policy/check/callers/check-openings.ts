import { inWords, type Opening, openings } from '../../../analysis/openings.js';
import { withProbes } from '../../../analysis/probes.js';
import { childrenOf, type Expression, type Need } from '../../../engine/expression/expression.js';
import type { ServerCatalog } from '../../../engine/mapping.js';
import type { CompiledPolicy, Policy, Rule } from '../../../engine/policy.js';
import { parseUse } from '../../../engine/uses/use-name.js';
import { groupBy } from '../../../once.js';
import type { Finding } from '../../language/findings.js';
import { KIND_NAMES } from '../../language/kind-names.js';
import { type Problem, problem } from '../../language/problem.js';
import { type CheckedFile, reportsIn } from '../check-values.js';

/**
 * Checks that a policy shows nothing to a caller because the caller has less: fewer scopes, no claim, a client without a name.
 *
 * @param files the files of the policy
 * @param compiled the policy that was compiled from these files
 * @param policy the same policy, prepared
 * @param catalog what the server lists, if it is known
 * @returns errors where a caller can choose to have less and calls are checked, else warnings
 * @example
 * checkOpenings(files, compiled, preparePolicy(compiled), undefined)[0]?.code; // 'less-shows-more'
 */
export function checkOpenings(
  files: readonly CheckedFile[],
  compiled: CompiledPolicy,
  policy: Policy,
  catalog: ServerCatalog = {},
): Finding[] {
  if (policy.rules.length === 0) return [];
  const findings: Finding[] = [];
  const report = (rule: Rule, severity: Finding['severity'], found: Problem): void => {
    for (const file of files) {
      const index = file.document.rules?.findIndex((_each, at) => isAt(file, at, rule)) ?? -1;
      if (index === -1) continue;
      const { error, warn } = reportsIn(file, findings);
      (severity === 'error' ? error : warn)(['rules', index, 'when'], found, 'key');
    }
  };
  for (const rule of policy.rules) {
    const path = closedPath(rule);
    if (path !== undefined) report(rule, 'warning', problem('closed-without-claim', { id: rule.id, path }));
  }
  const probed = withProbes([compiled], catalog);
  const found = openings(policy, probed.catalog);
  const groups = groupBy(
    found.openings.filter((each) => codeOf(each, policy) !== undefined),
    (each) => `${each.rule} ${codeOf(each, policy)}`,
  );
  for (const group of groups.values()) {
    const [first] = group;
    const rule = policy.rules.find(({ id }) => id === first.rule);
    if (rule === undefined) continue;
    const names = group.flatMap(({ kind, names }) =>
      names.filter((name) => probed.isListed(kind, parseUse(name)?.tool ?? name)),
    );
    const [, several] = KIND_NAMES[first.kind];
    const what = names.length === 0 ? `${several} that the server adds` : listed(names);
    const values = { id: rule.id, what, without: inWords(first.lack) };
    if (codeOf(first, policy) === 'open-without-claim') {
      report(rule, 'warning', problem('open-without-claim.rule', values));
    } else {
      const severity = policy.settings.enforcement === 'enforce' ? 'error' : 'warning';
      report(rule, severity, problem('less-shows-more', values));
    }
  }
  const [file] = files;
  if (file !== undefined) {
    for (const question of found.unanswered) {
      reportsIn(file, findings).warn(['rules'], problem('not-analyzed', { question }), 'key');
    }
  }
  return findings;
}

/** Whether a rule was compiled from that rule of the file. */
const isAt = ({ source }: CheckedFile, index: number, rule: Rule): boolean =>
  rule.source === `${source.file}:${source.locate(['rules', index]).line}`;

/** A rule about a capability is about what a client can do, so what it shows without one is not reported. */
function codeOf(
  { lack, rule }: Opening,
  policy: Policy,
): 'less-shows-more' | 'open-without-claim' | undefined {
  if (lack.type === 'scope' || lack.type === 'client') return 'less-shows-more';
  if (lack.type === 'claim') return 'open-without-claim';
  if (lack.type === 'capability') return undefined;
  const paths = policy.rules.find(({ id }) => id === rule)?.paths ?? [];
  if (paths.some((path) => path.startsWith('claims.'))) return 'open-without-claim';
  return paths.includes('caller.scopes') ? 'less-shows-more' : undefined;
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`;

/** @returns the first path whose absence alone makes the part of a hide rule true; none if the rule says what it does then */
function closedPath({ effect, when }: Rule): string | undefined {
  if (effect !== 'hide') return undefined;
  const named = new Set(partsOf(when).flatMap((part) => (part.type === 'missing' ? part.paths : [])));
  const needs = partsOf(when).flatMap((part): readonly Need[] =>
    part.type === 'closed' && part.counts ? part.needs : [],
  );
  const closed = needs.find(
    ({ path, hasFallback }) => !hasFallback && !named.has(path) && path !== 'client.name',
  );
  return closed?.path;
}

const partsOf = (part: Expression): readonly Expression[] => [part, ...childrenOf(part).flatMap(partsOf)];
