import type { Policy } from '../../engine/policy.js';
import { annotationsOf } from '../../engine/present.js';
import { serverOf } from '../../engine/servers/outside-names.js';
import { isUse } from '../../engine/uses/use-primitives.js';
import { groupBy } from '../../once.js';
import type { Finding } from '../language/findings.js';
import { KIND_NAMES } from '../language/kind-names.js';
import { problem } from '../language/problem.js';
import { checkUses } from './arguments/check-uses.js';
import { checkConfigurations } from './catalog/check-configurations.js';
import { checkEmptyPresets } from './catalog/check-empty-presets.js';
import { checkEntries } from './catalog/check-entries.js';
import { type ListCheck, type Listed, listCheck, type Named } from './catalog/list-check.js';
import { contradictedValues } from './check-annotations.js';
import { findRefused } from './check-definitions.js';
import { checkPanelNames } from './check-panel.js';
import { checkPresentation } from './check-presentation.js';
import { checkRuleNames } from './check-rule-names.js';
import { checkTexts, textRead } from './check-texts.js';
import { type CheckedFile, reportsIn } from './check-values.js';
import type { PolicyCatalog } from './servers/own-catalog.js';
import type { ServerPart } from './servers/server-parts.js';

/** How much of a policy is checked against a catalog. */
export interface Scope {
  /** Whether the policy has no errors. If it has, only parts that are right on their own are checked. */
  readonly whole: boolean;
  /** Whether a primitive without values is certainly unmapped. */
  readonly unmapped: boolean;
  /** The servers with policies of their own, which are checked alone. */
  readonly parts?: readonly ServerPart[];
}

/**
 * Checks a policy against the catalog of a server. It finds entries that match nothing or change nothing, primitives that
 * the policy does not map, values that contradict annotations, and properties of all configurations at once, such as a primitive
 * that is never visible.
 *
 * @param files the files of the policy, without the parts that have errors
 * @param policy the policy that was compiled from these files
 * @param catalog the primitives that the server lists
 * @param scope how much of the policy is checked
 * @returns the warnings; a check that would need too many configurations becomes a warning itself
 * @example
 * checkCatalog(files, policy, { tools: [{ name: 'encryptData' }] });
 */
export function checkCatalog(
  files: readonly CheckedFile[],
  policy: Policy,
  catalog: PolicyCatalog,
  scope: Scope,
): Finding[] {
  const check = listCheck(files, policy, catalog);
  if (catalog.isFiltered !== true) {
    checkEntries(check, scope.whole);
    checkRuleNames(check);
    checkPanelNames(check);
  }
  const alone = new Set<unknown>(scope.parts?.filter((part) => part.policy).map(({ slug }) => slug));
  const judged = check.listed.filter(({ primitive }) => !alone.has(serverOf(primitive)));
  for (const each of judged) if (!isUse(each.primitive)) checkPrimitive(check, each);
  checkUses(check);
  if (scope.unmapped) checkMapped(check, judged);
  checkPresentation(check);
  if (scope.whole && catalog.isFiltered !== true) checkEmptyPresets(check);
  const isUnknown = catalog.encoding !== undefined && textRead(policy, catalog.tools) !== undefined;
  let neverVisible: Named[] = [];
  if (isUnknown) checkTexts(check);
  else if (scope.whole && alone.size === 0) neverVisible = checkConfigurations(check);
  checkDefinitions(check, alone, neverVisible);
  return check.findings;
}

const USES = ['use', 'uses of tools'] as const;

/** Reports what the policy does not map, once for each kind: a server can have hundreds of new tools. */
function checkMapped({ files, policy, warn }: ListCheck, listed: readonly Listed[]): void {
  const { unmapped } = policy.settings;
  const isReviewed = ({ kind, name }: Listed) =>
    files.some(({ document }) => document.review?.[kind]?.includes(name) === true);
  const isDecided = ({ kind, mapping: { mapped, offers } }: Listed): boolean =>
    mapped ||
    // The server's own values can hide what is not mapped, and show rules show it. "never-visible" is exact about the rest.
    (unmapped === 'show'
      ? offers.some((offer) => offer !== undefined)
      : policy.rulesFor.show[kind].length > 0);
  const open = listed.filter((each) => !isDecided(each) && !isReviewed(each));
  for (const all of groupBy(open, ({ kind, primitive }) => (isUse(primitive) ? 'uses' : kind)).values()) {
    const [{ kind, primitive }] = all;
    const [one, several] = isUse(primitive) ? USES : KIND_NAMES[kind];
    const names = all
      .slice(0, 10)
      .map(({ name }) => `"${name}"`)
      .join(', ');
    const rest = all.length > 10 ? ` and ${all.length - 10} more` : '';
    warn(
      { kind },
      problem(`unmapped.${unmapped}`, {
        names: `${all.length === 1 ? `the ${one}` : `${all.length} ${several}:`} ${names}${rest}`,
      }),
    );
  }
}

function checkPrimitive({ policy, warn }: ListCheck, listed: Listed): void {
  const { name, primitive, mapping } = listed;
  const contradicted = contradictedValues(policy, mapping);
  for (const { concern: index, source } of contradicted) {
    const concern = policy.concerns[index]?.name;
    warn(listed, problem('contradicts-annotations.assign', { concern, name, source }));
  }
  const { readOnlyHint } = annotationsOf(primitive);
  mapping.offers.forEach((offer, index) => {
    const { values, name: concern } = policy.concerns[index] ?? {};
    if (offer === undefined || values === undefined || 'min' in values) return;
    // Said already, with the line that derives the other value.
    if (contradicted.some((each) => each.concern === index)) return;
    const words = offer.offered.map((number) => values[number] ?? '');
    const reads = words.every((word) => /^read(-?only)?$/.test(word));
    // A stricter value than that of the hint is a judgment.
    if (readOnlyHint === false && reads) {
      const found = { concern, name, words: words.join(', '), readOnlyHint };
      warn(listed, problem('contradicts-annotations.hint', found));
    }
  });
}

/** Says of the definitions of all kinds together what clients and hosts refuse: no part of the policy decides about it. */
function checkDefinitions(
  { files, catalog, findings, warnPolicy }: ListCheck,
  alone: ReadonlySet<unknown>,
  neverVisible: readonly Named[],
): void {
  const hidden = new Set(neverVisible.map(({ kind, name }) => `${kind} ${name}`));
  const { errors, warnings } = findRefused(
    { ...catalog, leftOut: withoutServers(catalog.leftOut, alone) },
    ({ kind, name, primitive }) => alone.has(serverOf(primitive)) || hidden.has(`${kind} ${name}`),
  );
  for (const file of files.slice(0, 1)) {
    for (const found of errors) reportsIn(file, findings).error(['version'], found, 'key');
  }
  // A comment above the first key silences it.
  for (const found of warnings) warnPolicy(found, ['version']);
}

/** @returns what all other servers have left out */
const withoutServers = (leftOut: PolicyCatalog['leftOut'] = {}, alone: ReadonlySet<unknown>) =>
  Object.fromEntries(Object.entries(leftOut).filter(([slug]) => !alone.has(slug)));
