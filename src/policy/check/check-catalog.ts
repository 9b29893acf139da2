import { analyze, canShowWithout } from '../../analysis/analyze.js';
import { companionsIn } from '../../engine/companions.js';
import { isTruthy } from '../../engine/expression/evaluate.js';
import {
  identityOf,
  type Mapping,
  mapPrimitive,
  type Primitive,
  type ServerCatalog,
} from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import type { FindingCode } from '../language/finding-codes.js';
import type { Finding, Place } from '../language/findings.js';
import { nearestReplacement, removing, replacing } from '../language/fixes.js';
import { KIND_NAMES } from '../language/kind-names.js';
import type { Path } from '../language/read-yaml.js';
import { placeOfPrimitive } from './catalog-places.js';
import { findHiddenCompanions } from './check-pages.js';
import { checkPanelNames } from './check-panel.js';
import { checkRuleNames } from './check-rule-names.js';
import type { CheckedFile } from './check-values.js';

/** The catalog of a server: the primitives that it lists, and its instructions. */
export interface PolicyCatalog extends ServerCatalog {
  /** The text that the server sends to models in the result of `initialize`. */
  readonly instructions?: string | undefined;
}

/** How much of a policy is checked against a catalog. */
export interface Scope {
  /** Whether the policy has no errors. If it has, only parts that are right on their own are checked. */
  readonly whole: boolean;
  /** Whether a primitive without values is certainly unmapped. */
  readonly unmapped: boolean;
}

type Warn = (kind: Kind, name: string | undefined, code: FindingCode, message: string) => void;

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
  scope: Scope = { whole: true, unmapped: true },
): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (file, path, code, message, fixOf): void => {
    const place = file.source.locate(path, 'key');
    findings.push({ ...place, severity: 'warning', code, message, ...fixOf?.(place) });
  };
  checkEntriesAgainst(files, policy, catalog, scope, report);
  checkRuleNames(files, catalog, report);
  checkPanelNames(files, policy, catalog, report);
  const primitives = new Map(
    KINDS.map((kind) => [kind, new Map((catalog[kind] ?? []).map((each) => [identityOf(kind, each), each]))]),
  );
  const warn: Warn = (kind, name, code, message) => {
    const primitive = primitives.get(kind)?.get(name ?? '');
    const { file, path } = placeOfPrimitive(files, policy, kind, name, primitive);
    report(file, path, code, message);
  };
  const companions = companionsIn(catalog);
  for (const kind of KINDS) {
    for (const primitive of catalog[kind] ?? []) {
      // A tool with a page keeps it, and what only the page can call, without an entry.
      const mustBeMapped = scope.unmapped && !companions.has(primitive);
      checkPrimitive(policy, kind, primitive, mustBeMapped, warn);
    }
  }
  if (scope.whole) checkAllConfigurations(files, policy, catalog, warn, report);
  return findings;
}

type Report = (
  file: CheckedFile,
  path: Path,
  code: FindingCode,
  message: string,
  fixOf?: (place: Place) => Pick<Finding, 'fix'>,
) => void;

function checkEntriesAgainst(
  files: readonly CheckedFile[],
  policy: Policy,
  catalog: PolicyCatalog,
  { whole }: Scope,
  report: Report,
): void {
  for (const file of files) {
    for (const kind of KINDS) {
      const primitives = catalog[kind] ?? [];
      const names = primitives.map((primitive) => identityOf(kind, primitive));
      const mapped = primitives.map((primitive) => mapPrimitive(policy, kind, primitive));
      for (const name of Object.keys(file.document.primitives?.[kind] ?? {})) {
        if (names.includes(name) || isInherited(policy, kind, name, catalog)) continue;
        const unmapped = names.filter((_each, index) => mapped[index]?.mapped === false);
        const hint = didYouMean(name, unmapped) || ' Remove the entry.';
        const message = `The server does not have a ${KIND_NAMES[kind][0]} "${name}".${hint}`;
        const path = ['primitives', kind, name];
        const meant = nearestReplacement(name, unmapped);
        report(file, path, 'dead-entry', message, (place) =>
          meant === undefined ? removing(file.source, path) : replacing(file.source, place, meant),
        );
      }
      for (const pattern of policy.patterns[kind]) {
        const path = ['patterns', kind, pattern.name];
        if (!Object.hasOwn(file.document.patterns?.[kind] ?? {}, pattern.name)) continue;
        const covered = mapped.filter((_mapping, index) => pattern.matches(names[index] ?? ''));
        if (covered.length === 0) {
          const message = `The pattern "${pattern.name}" does not match any ${KIND_NAMES[kind][0]} of the server. Remove it.`;
          report(file, path, 'dead-entry', message, () => removing(file.source, path));
        } else if (
          whole &&
          pattern.assignments.length > 0 &&
          !covered.some(({ offers }) =>
            pattern.assignments.some(
              ({ concern, offered }) => offers[concern]?.offered === offered || offered === 'any',
            ),
          )
        ) {
          const message = `Later patterns or entries replace every value of the pattern "${pattern.name}". Remove it.`;
          report(file, path, 'shadowed-entry', message, () => removing(file.source, path));
        }
      }
    }
  }
}

/**
 * Whether an entry has an effect although the server does not list its name: a URI that matches a template of the server,
 * or a template of the policy from which listed resources inherit values.
 */
function isInherited(policy: Policy, kind: Kind, name: string, catalog: PolicyCatalog): boolean {
  if (kind === 'resources') {
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

function checkPrimitive(
  policy: Policy,
  kind: Kind,
  primitive: Primitive,
  mustBeMapped: boolean,
  warn: Warn,
): void {
  const name = identityOf(kind, primitive);
  const mapping = mapPrimitive(policy, kind, primitive);
  if (!mapping.mapped && mustBeMapped) {
    const effect = policy.settings.unmapped === 'show' ? 'always shown' : 'always hidden';
    const message = `The policy does not map the ${KIND_NAMES[kind][0]} "${name}", so it is ${effect}. Add an entry for it: {} maps it without values.`;
    warn(kind, undefined, 'unmapped', message);
  }
  checkAgainstAnnotations(policy, mapping, (concern, source) => {
    const concernName = policy.concerns[concern]?.name;
    const message = `The ${concernName} of "${name}" differs from the value that ${source} derives from its annotations. Change one of them.`;
    warn(kind, name, 'contradicts-annotations', message);
  });
  const { annotations } = primitive;
  if (typeof annotations !== 'object' || annotations === null) return;
  const { readOnlyHint } = annotations as { readOnlyHint?: unknown };
  mapping.offers.forEach((offer, concern) => {
    const { values, name: concernName } = policy.concerns[concern] ?? {};
    if (offer === undefined || values === undefined || 'min' in values) return;
    const words = offer.offered.map((number) => values[number] ?? '');
    const reads = words.every((word) => /^read(-?only)?$/.test(word));
    const writes = words.every((word) => /^(write|destructive)$/.test(word));
    if ((readOnlyHint === false && reads) || (readOnlyHint === true && writes)) {
      const message = `${concernName} of "${name}" is ${words.join(', ')}, but its readOnlyHint is ${readOnlyHint}. Change one of them.`;
      warn(kind, name, 'contradicts-annotations', message);
    }
  });
}

/** The annotations of which a missing one may be true or false. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/**
 * Compares the values of a primitive with those that `assign` derives. A value that only follows from the default of a
 * missing annotation is not a contradiction: the author of the policy may know better.
 */
function checkAgainstAnnotations(
  policy: Policy,
  { offers, primitive }: Mapping,
  report: (concern: number, source: string) => void,
): void {
  const derived = derivedValues(policy, primitive);
  const differs = ({ offered }: Derived, concern: number): boolean => {
    const own = offers[concern];
    return own !== undefined && offered !== 'any' && !own.offered.some((each) => offered.includes(each));
  };
  if (![...derived].some(([concern, each]) => differs(each, concern))) return;
  const variants = completions(primitive).map((each) => derivedValues(policy, each));
  for (const [concern, each] of derived) {
    const isCertain = variants.every((values) => {
      const other = values.get(concern);
      return other !== undefined && differs(other, concern);
    });
    if (differs(each, concern) && isCertain) report(concern, each.source);
  }
}

type Derived = Policy['assigns'][number]['assignments'][number];

/** @returns the value of each concern that `assign` derives: of several items, the last one wins */
function derivedValues(policy: Policy, primitive: object): ReadonlyMap<number, Derived> {
  const derived = new Map<number, Derived>();
  for (const { fires, assignments } of policy.assigns) {
    if (!isTruthy(fires({ primitive }, []))) continue;
    for (const assignment of assignments) derived.set(assignment.concern, assignment);
  }
  return derived;
}

/** @returns the primitive with every combination of values for the annotations that it does not have */
function completions(primitive: object): object[] {
  const { annotations } = primitive as { annotations?: unknown };
  const own = typeof annotations === 'object' && annotations !== null ? annotations : {};
  return HINTS.filter((hint) => !Object.hasOwn(own, hint))
    .reduce<object[]>(
      (all, hint) => all.flatMap((each) => [true, false].map((value) => ({ ...each, [hint]: value }))),
      [own],
    )
    .map((each) => ({ ...primitive, annotations: each }));
}

function checkAllConfigurations(
  files: readonly CheckedFile[],
  policy: Policy,
  catalog: PolicyCatalog,
  warn: Warn,
  report: Report,
): void {
  const { neverVisible, alwaysVisible, showsNothing, rules, unanswered } = analyze(policy, catalog);
  for (const { kind, name } of neverVisible) {
    warn(
      kind,
      name,
      'never-visible',
      `No configuration shows the ${KIND_NAMES[kind][0]} "${name}". Change its values or the rule that hides it.`,
    );
  }
  for (const { kind, name } of alwaysVisible) {
    if (isMeantForEveryone(policy, kind, name, catalog)) continue;
    const message = `Every configuration shows the ${KIND_NAMES[kind][0]} "${name}", whatever its values are. Write {} if this is intended.`;
    warn(kind, name, 'always-visible', message);
  }
  const [first] = files;
  if (showsNothing !== undefined && first !== undefined) {
    const preferences = Object.entries(showsNothing).map(([name, value]) => `${name}: ${value}`);
    const message = `A host with the preferences {${preferences.join(', ')}} sees no primitives. Change values or rules if it needs to see some.`;
    report(first, ['concerns'], 'empty-catalog', message);
  }
  for (const { id, fires } of rules) {
    const file = files.find(({ document }) => document.rules?.some((rule) => rule.id === id));
    const index = file?.document.rules?.findIndex((rule) => rule.id === id) ?? 0;
    if (file === undefined || fires === 'sometimes') continue;
    const message =
      fires === 'never'
        ? 'never fires: its condition is false for every configuration and primitive'
        : 'always fires: its condition is true for every configuration and primitive';
    report(
      file,
      ['rules', index, 'id'],
      `rule-${fires}-fires`,
      `The rule "${id}" ${message}. Fix or remove it.`,
    );
  }
  if (first !== undefined) {
    for (const question of unanswered) {
      report(first, [], 'not-analyzed', `There are too many configurations to determine ${question}.`);
    }
  }
  for (const { kind, name, tool } of findHiddenCompanions(policy, catalog)) {
    const what = kind === 'tools' ? `The tool "${name}" of its page` : `The page "${name}"`;
    const message = `${what} can be hidden while the tool "${tool}" is shown, so the page does not work. Give both the same values, or remove this entry.`;
    warn(kind, name, 'ui-hidden', message);
  }
  checkTexts(policy, catalog, warn, (message) => {
    if (first !== undefined) report(first, [], 'names-hidden', message);
  });
}

/**
 * Whether a primitive is visible to everyone on purpose: its entry is `{}`, or each of its values fits every preference by
 * its place in the order, as the lowest value of `at-most` does.
 */
function isMeantForEveryone(policy: Policy, kind: Kind, name: string, catalog: PolicyCatalog): boolean {
  if (policy.entries[kind].get(name)?.assignments.length === 0) return true;
  const primitive = catalog[kind]?.find((each) => identityOf(kind, each) === name);
  if (primitive === undefined) return false;
  return mapPrimitive(policy, kind, primitive).offers.every((offer, index) => {
    const { match, values, setBy } = policy.concerns[index] ?? {};
    if (offer === undefined) return true;
    if (setBy !== 'host' || values === undefined || 'min' in values) return false;
    if (match === 'at-most') return offer.offered.includes(0);
    return match === 'at-least' && offer.offered.includes(values.length - 1);
  });
}

/** Finds texts that name a primitive which can be hidden while the text is visible: a model would try to use it. */
function checkTexts(
  policy: Policy,
  catalog: PolicyCatalog,
  warn: Warn,
  warnInstructions: (message: string) => void,
): void {
  // Only names that cannot be ordinary words: "delete" occurs in many texts that do not mean the tool.
  const mappings = new Map(
    (['tools', 'prompts'] as const).flatMap((kind) =>
      (catalog[kind] ?? []).flatMap((primitive) => {
        const name = identityOf(kind, primitive);
        return /[_-]|[a-z][A-Z]/.test(name) ? [[name, mapPrimitive(policy, kind, primitive)] as const] : [];
      }),
    ),
  );
  const named = (text: unknown, own: Mapping | undefined): string[] => {
    if (typeof text !== 'string') return [];
    return [...new Set(text.split(/[^A-Za-z0-9_-]+/))].filter((word) => {
      const mapping = mappings.get(word);
      return mapping !== undefined && canShowWithout(policy, own, mapping);
    });
  };
  const found = named(catalog.instructions, undefined);
  if (found.length > 0) {
    warnInstructions(
      `The instructions of the server name primitives that can be hidden (${found.join(', ')}). A model may try to use them.`,
    );
  }
  for (const kind of KINDS) {
    for (const primitive of catalog[kind] ?? []) {
      const { description } = primitive as { description?: unknown };
      const others = named(description, mapPrimitive(policy, kind, primitive));
      if (others.length === 0) continue;
      const name = identityOf(kind, primitive);
      const message = `The description of "${name}" names primitives that can be hidden while it is shown (${others.join(', ')}). A model may try to use them.`;
      warn(kind, name, 'names-hidden', message);
    }
  }
}
