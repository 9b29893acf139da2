import { analyze } from '../../analysis/analyze.js';
import { pageOf } from '../../engine/companions.js';
import { asksForScope } from '../../engine/evaluate.js';
import { itemAt } from '../../engine/item-at.js';
import { identityOf, type ListedPrimitive, type Mapping } from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import { mapListed } from '../../engine/pins.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { annotationsOf } from '../../engine/present.js';
import { formerNames, serverOf } from '../../engine/servers/outside-names.js';
import { argumentNames } from '../../engine/uses/domain.js';
import { parseUse } from '../../engine/uses/use-name.js';
import { isUse, listedIn } from '../../engine/uses/use-primitives.js';
import { groupBy, once } from '../../once.js';
import type { Finding } from '../language/findings.js';
import { KIND_NAMES } from '../language/kind-names.js';
import { nearestReplacement, type Problem, problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import { toYamlScalar } from '../language/yaml-scalars.js';
import { checkUses } from './arguments/check-uses.js';
import { checkEmptyPresets } from './catalog/check-empty-presets.js';
import { placeOfPrimitive } from './catalog-places.js';
import { contradictedValues } from './check-annotations.js';
import { findRefused } from './check-definitions.js';
import { findHiddenCompanions } from './check-pages.js';
import { checkPanelNames } from './check-panel.js';
import { checkPresentation } from './check-presentation.js';
import { checkRuleNames } from './check-rule-names.js';
import { checkTexts, textRead } from './check-texts.js';
import { type CheckedFile, type PolicyPart, reportsIn } from './check-values.js';
import { hiddenNamesIn } from './hidden-names.js';
import { mayExist, type SeveralCatalog } from './servers/own-catalog.js';
import type { ServerPart } from './servers/server-parts.js';

/** The catalog of a server: the primitives that it lists, and its instructions. */
export interface PolicyCatalog extends SeveralCatalog {
  /** The text that the server sends to models in the result of `initialize`. */
  readonly instructions?: string | undefined;
}

/** How much of a policy is checked against a catalog. */
export interface Scope {
  /** Whether the policy has no errors. If it has, only parts that are right on their own are checked. */
  readonly whole: boolean;
  /** Whether a primitive without values is certainly unmapped. */
  readonly unmapped: boolean;
  /** The servers with policies of their own, which are checked alone. */
  readonly parts?: readonly ServerPart[];
}

/** A primitive that the server lists, with the values that the policy gives it. */
interface Listed extends ListedPrimitive {
  readonly mapping: Mapping;
}

type Named = Pick<Listed, 'kind' | 'name'>;

/** What only the checks of this file need. */
interface ListCheck {
  readonly files: readonly CheckedFile[];
  readonly policy: Policy;
  readonly catalog: PolicyCatalog;
  readonly findings: Finding[];
  readonly listed: readonly Listed[];
  /** Adds a warning to a part of a file. */
  report(part: PolicyPart, found: Problem): void;
  /** Adds a warning to the part that decides about a primitive; without a name, to the section of its kind. */
  warn(about: { readonly kind: Kind; readonly name?: string }, found: Problem): void;
  /** Adds a warning to the first file: it is about the whole policy. */
  warnPolicy(found: Problem, path?: Path): void;
}

function listCheck(files: readonly CheckedFile[], policy: Policy, catalog: PolicyCatalog): ListCheck {
  const findings: Finding[] = [];
  const listed = listedIn(policy, catalog).map((each): Listed => {
    return { ...each, mapping: mapListed(policy, each.kind, each.primitive) };
  });
  const mappings = new Map(listed.map(({ kind, name, mapping }) => [`${kind} ${name}`, mapping]));
  const report = ({ file, path }: PolicyPart, found: Problem): void =>
    reportsIn(file, findings).warn(path, found, 'key');
  const warn = ({ kind, name }: { readonly kind: Kind; readonly name?: string }, found: Problem): void =>
    report(placeOfPrimitive({ files, policy }, kind, name, mappings.get(`${kind} ${name}`)), found);
  const warnPolicy = (found: Problem, path: Path = []): void => {
    for (const file of files.slice(0, 1)) report({ file, path }, found);
  };
  return { files, policy, catalog, findings, listed, report, warn, warnPolicy };
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
    checkEntriesAgainst(check, scope);
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
  else if (scope.whole && alone.size === 0) neverVisible = checkAllConfigurations(check);
  checkDefinitions(check, alone, neverVisible);
  return check.findings;
}

function checkEntriesAgainst(check: ListCheck, { whole }: Scope): void {
  const { files, policy, catalog, listed, report } = check;
  for (const file of files) {
    for (const kind of KINDS) {
      const own = listed.filter((each) => each.kind === kind);
      const names = new Set(own.map(({ name }) => name));
      const noun = KIND_NAMES[kind][0];
      const renamed = once(
        () =>
          new Map(
            own.flatMap(({ name, primitive }) =>
              formerNames(primitive).map((former) => [former, name] as const),
            ),
          ),
      );
      for (const name of Object.keys(file.document.primitives?.[kind] ?? {})) {
        if (kind === 'tools' && parseUse(name) !== undefined) continue;
        if (names.has(name) || isInherited(policy, kind, name, catalog)) continue;
        if (mayExist(catalog, kind, name)) continue;
        // wildcard-in-name says more.
        if (name.includes('*') && kind !== 'resourceTemplates') continue;
        const unmapped = own.filter(({ mapping }) => !mapping.mapped).map((each) => each.name);
        const now = renamed().get(name);
        const hint = (now === undefined ? didYouMean(name, unmapped) : ` Did you mean "${now}"?`) || KEPT;
        const replacement =
          now === undefined ? nearestReplacement(name, unmapped) : { scalar: name, yaml: toYamlScalar(now) };
        const found = problem('dead-entry.entry', { noun, name, hint }, replacement);
        report({ file, path: ['primitives', kind, name] }, found);
      }
      for (const { name, matches, assignments } of policy.patterns[kind]) {
        if (!Object.hasOwn(file.document.patterns?.[kind] ?? {}, name)) continue;
        const path = ['patterns', kind, name];
        const covered = own.filter((each) => !isUse(each.primitive) && matches(each.name));
        const decides = covered.some(({ mapping: { offers } }) =>
          assignments.some(
            ({ concern, offered }) => offers[concern]?.offered === offered || offered === 'any',
          ),
        );
        if (covered.length > 0) {
          const isShadowed = whole && assignments.length > 0 && !decides;
          if (isShadowed) report({ file, path }, problem('shadowed-entry', { name }));
        } else if (!mayExist(catalog, kind, name)) {
          report({ file, path }, problem('dead-entry.pattern', { name, noun }));
        }
      }
    }
  }
}

/** An entry that nothing replaces can stay: without it, what the server adds again would be unmapped. */
const KEPT =
  ' It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.';

/**
 * Whether an entry has an effect although the server does not list its name: the page of a tool, a URI that matches a
 * template of the server, or a template of the policy from which listed resources inherit values.
 */
function isInherited(policy: Policy, kind: Kind, name: string, catalog: PolicyCatalog): boolean {
  if (kind === 'resources') {
    if ((catalog.tools ?? []).some((tool) => pageOf(tool) === name)) return true;
    return (catalog.resourceTemplates ?? []).some((template) =>
      compileUriTemplate(identityOf('resourceTemplates', template)).matches(name),
    );
  }
  if (kind !== 'resourceTemplates') return false;
  const { matches } = compileUriTemplate(name);
  return (catalog.resources ?? []).some((resource) => {
    const uri = identityOf('resources', resource);
    return !policy.entries.resources.has(uri) && matches(uri);
  });
}

/** Reports what the policy does not map, once for each kind: a server can have hundreds of new tools. */
/** Says why a rule never fires: often the name of its argument is not one of the server. */
function neverFires({ policy, catalog }: ListCheck, id: string): Problem {
  const argument = policy.rules.find((rule) => rule.id === id)?.argument?.name;
  const known = [...new Set((catalog.tools ?? []).flatMap(argumentNames))];
  return argument === undefined || known.includes(argument)
    ? problem('rule-never-fires.condition', { id })
    : problem('rule-never-fires.argument', { id, argument, hint: didYouMean(argument, known) });
}

const USES = ['use', 'uses of tools'] as const;

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

/** @returns what no configuration shows */
function checkAllConfigurations(check: ListCheck): Named[] {
  const { files, policy, catalog, listed, report, warn, warnPolicy } = check;
  const { neverVisible, alwaysVisible, hiddenByHost, rules, unanswered } = analyze(policy, catalog);
  const named = ({ kind, name }: Named) => ({ noun: KIND_NAMES[kind][0], name });
  for (const each of neverVisible) warn(each, problem('never-visible', named(each)));
  for (const each of alwaysVisible) {
    if (!isMeantForEveryone(check, each)) warn(each, problem('always-visible.values', named(each)));
  }
  // The entry is the author's word, but looks as if the show rules decided.
  const { show, hide } = policy.rulesFor;
  for (const each of listed) {
    const isOpen = policy.entries[each.kind].get(each.name)?.assignments.length === 0;
    const isDecided = policy.settings.unmapped === 'show' || hide[each.kind].length > 0;
    if (!isOpen || isDecided || show[each.kind].length === 0 || each.mapping.offers.some(Boolean)) continue;
    const [, several] = KIND_NAMES[each.kind];
    warn(each, problem('always-visible.entry', { ...named(each), several }));
  }
  // What the server does not list may be what these would miss.
  const isWhole = catalog.isFiltered !== true;
  if (isWhole && hiddenByHost !== undefined) {
    const preferences = Object.entries(hiddenByHost).map(([name, value]) => `${name}: ${value}`);
    warnPolicy(problem('empty-catalog', { preferences: preferences.join(', ') }), ['concerns']);
  }
  for (const { id, fires } of rules) {
    const file = files.find(({ document }) => document.rules?.some((rule) => rule.id === id));
    const index = file?.document.rules?.findIndex((rule) => rule.id === id) ?? 0;
    if (!isWhole || file === undefined || fires === 'sometimes') continue;
    report(
      { file, path: ['rules', index, 'id'] },
      fires === 'always' ? problem('rule-always-fires', { id }) : neverFires(check, id),
    );
  }
  for (const question of unanswered) warnPolicy(problem('not-analyzed', { question }));
  for (const each of findHiddenCompanions(policy, catalog)) {
    const { kind, name, tool } = each;
    warn(each, problem(`ui-hidden.${kind}`, { name, tool }));
  }
  const hiddenNames = hiddenNamesIn(policy, listed);
  const inInstructions = hiddenNames(catalog.instructions);
  if (inInstructions.length > 0)
    warnPolicy(problem('names-hidden.instructions', { names: inInstructions.join(', ') }));
  for (const each of listed) {
    if (isUse(each.primitive)) continue;
    const others = hiddenNames(each.primitive.description, each.mapping);
    if (others.length === 0) continue;
    warn(each, problem('names-hidden.description', { name: each.name, names: others.join(', ') }));
  }
  return [...neverVisible];
}

/**
 * Whether a primitive is visible to everyone on purpose: its entry is `{}`, or each of its values fits every preference by
 * its place in the order, as the lowest value of `at-most` does.
 */
function isMeantForEveryone({ policy, listed }: ListCheck, { kind, name }: Named): boolean {
  if (policy.entries[kind].get(name)?.assignments.length === 0) return true;
  const found = listed.find((each) => each.kind === kind && each.name === name);
  return (
    found?.mapping.offers.every((offer, index) => {
      const concern = itemAt(policy.concerns, index);
      const { match, values, setBy } = concern;
      // Where a scope is missing, the value has an effect: a call asks for the scope.
      if (offer === undefined || asksForScope(policy, concern)) return true;
      if (setBy !== 'host' || 'min' in values) return false;
      if (match === 'at-most') return offer.offered.includes(0);
      return match === 'at-least' && offer.offered.includes(values.length - 1);
    }) === true
  );
}
