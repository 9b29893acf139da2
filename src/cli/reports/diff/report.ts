import { resolveConfiguration } from '../../../core/engine/configuration.js';
import { primitivesIn } from '../../../core/engine/mapping.js';
import { type CompiledPolicy, type Kind, preparePolicy } from '../../../core/engine/policy.js';
import type { PolicyCatalog } from '../../../core/policy/check/servers/own-catalog.js';
import type { Changed } from '../../../core/policy/diff/change.js';
import { compareSides, type Difference } from '../../../core/policy/diff/compare.js';
import { compareDeclarations } from '../../../core/policy/diff/compare-declarations.js';
import {
  type DefinitionDetail,
  detailsOf,
  renamesOf,
} from '../../../core/policy/diff/compare-definitions.js';
import { describeCondition } from '../../../core/policy/diff/conditions.js';
import { ENCODING, type TokenCounter } from '../../inputs/token-counter.js';
import { decideAll, shownOf, shownTools, sumOf, weighCatalog } from '../list-report.js';
import { resentAfter } from '../prompt-cost.js';

/** Everything that `diff` reports, as `--format json` writes it. */
export interface DiffReport {
  /** The names of the sides. */
  readonly old: string;
  readonly new: string;
  /** Where the primitives come from; `null` if only the names in the policies were compared. */
  readonly source: string | null;
  readonly primitives: number;
  readonly hidden: number;
  readonly shown: number;
  readonly renamed: number;
  readonly encoding: string;
  readonly groups: readonly ReportedGroup[];
  readonly configurations: NonNullable<Difference['extent']> | null;
  readonly newlyEmpty: NonNullable<Difference['newlyEmpty']> | null;
  /** What a host without preferences, or with one preset, sees before and after the change. */
  readonly named: readonly NamedConfiguration[];
  /** The definitions that changed under the same name. */
  readonly definitions: readonly Redefinition[];
  readonly words: readonly string[];
  readonly notes: readonly string[];
}

/** Primitives that change under one condition. */
export interface ReportedGroup {
  readonly when: string;
  readonly conditions: readonly (readonly ReportedTerm[])[];
  readonly hidden: readonly ReportedPrimitive[];
  readonly shown: readonly ReportedPrimitive[];
  /** What has another name now, and the same definition. */
  readonly renamed: readonly { readonly kind: Kind; readonly name: string; readonly from: string }[];
  /** The change of tokens in the context of a host; negative if the change saves tokens. */
  readonly tokens: number | undefined;
  readonly exact: boolean;
}

/** What a condition demands of one concern or claim: one of these values. `null`: not requested, not claimed, or not true. */
export interface ReportedTerm {
  readonly by: string;
  readonly name: string;
  readonly values: readonly (string | null)[];
}

/** One primitive that is no longer shown, or is newly shown. */
export interface ReportedPrimitive {
  readonly kind: Kind;
  readonly name: string;
  /** Whether the server added or removed it. */
  readonly server: 'new' | 'gone' | undefined;
  readonly tokens: number | undefined;
}

/** What a host sees. */
export interface Seen {
  readonly shown: number;
  readonly total: number;
  readonly tokens: number | undefined;
}

/** What a host without preferences, or with one preset, sees before and after a change. */
export interface NamedConfiguration {
  readonly name: string;
  readonly before: Seen;
  readonly after: Seen;
  readonly changed: boolean;
  /** The tokens of the new list of tools that are not in the prompt cache of a host that saw the old list. */
  readonly resent: number | undefined;
}

/** A definition that changed under the same name, with its tokens. */
export interface Redefinition {
  readonly kind: Kind;
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly details: readonly DefinitionDetail[];
}

/** What is compared: a policy, and the primitives that it decides about. */
export interface ComparedSide {
  /** The path or the revision of the policy. */
  readonly name: string;
  readonly compiled: CompiledPolicy;
  readonly catalog: PolicyCatalog;
  /** Counts the tokens of a primitive; undefined if only the names in the policies are known. */
  readonly count: TokenCounter | undefined;
}

/**
 * Compares two sides, and combines their difference with names, tokens and notes.
 *
 * @param old the side before the change
 * @param now the side after the change
 * @param input where the primitives come from; undefined if only the names in the policies are known
 * @returns the report
 * @example
 * process.stdout.write(toPretty(makeReport(old, now, 'vault.catalog.json'), paper));
 */
export function makeReport(old: ComparedSide, now: ComparedSide, input: string | undefined): DiffReport {
  const difference = compareSides(old, now);
  const areFacts = [old, now].some(({ catalog }) => catalog.encoding !== undefined);
  const renames =
    input === undefined || areFacts ? new Map<string, string>() : renamesOf(old.catalog, now.catalog);
  const reported = (
    direction: 'hidden' | 'shown',
    changed: readonly Changed[],
  ): readonly ReportedPrimitive[] =>
    changed.map(({ kind, name, before, after }) => {
      const server = before === undefined ? 'new' : after === undefined ? 'gone' : undefined;
      const [{ count }, primitive] = direction === 'hidden' ? [old, before] : [now, after];
      return { kind, name, server, tokens: primitive === undefined ? undefined : count?.(primitive) };
    });
  const groups = difference.groups.map((group) => {
    const renamed = group.shown.flatMap(({ kind, name }) => {
      const from = renames.get(`${kind} ${name}`);
      const isHidden = group.hidden.some((each) => each.kind === kind && each.name === from);
      return from !== undefined && isHidden ? [{ kind, name, from }] : [];
    });
    const [hidden, shown] = [reported('hidden', group.hidden), reported('shown', group.shown)];
    const others = (some: readonly ReportedPrimitive[], key: 'name' | 'from') =>
      some.filter(({ kind, name }) => !renamed.some((each) => each.kind === kind && each[key] === name));
    const sum = (some: readonly ReportedPrimitive[]) =>
      some.reduce((all, { tokens }) => all + (tokens ?? 0), 0);
    const tokens = now.count === undefined ? undefined : sum(shown) - sum(hidden);
    return {
      when: describeCondition(group.when),
      conditions: group.when.map((terms) =>
        terms.map(({ dimension: { type: by, name, choices }, choices: selected }) => ({
          by,
          name,
          values: [...selected].map((index) => choices[index]?.text ?? null),
        })),
      ),
      hidden: others(hidden, 'from'),
      shown: others(shown, 'name'),
      renamed,
      tokens,
      exact: group.exact,
    };
  });
  const distinct = (direction: 'hidden' | 'shown' | 'renamed') =>
    new Set(groups.flatMap((group) => group[direction].map(({ kind, name }) => `${kind} ${name}`))).size;
  const notes = [...difference.gaps];
  if (input === undefined) {
    notes.push(
      'No server was given, so only the names in the policies were compared, without annotations and tokens.',
    );
  }
  if (groups.some(({ exact }) => !exact)) {
    notes.push('A primitive must also match the other preferences of the host.');
  }
  if ([old, now].some(({ compiled }) => compiled.settings.enforcement === 'shadow')) {
    notes.push(
      'The policy has enforcement: shadow, so hosts still see everything. This is what would be hidden.',
    );
  }
  return {
    old: old.name,
    new: now.name,
    source: input ?? null,
    primitives: primitivesIn(now.catalog).length,
    hidden: distinct('hidden'),
    shown: distinct('shown'),
    renamed: distinct('renamed'),
    encoding: ENCODING,
    groups,
    configurations: difference.extent ?? null,
    newlyEmpty: difference.newlyEmpty ?? null,
    named: namedConfigurations(old, now),
    definitions: redefinitions(old, now, areFacts),
    words: compareDeclarations(old.compiled, now.compiled),
    notes,
  };
}

function namedConfigurations(old: ComparedSide, now: ComparedSide): readonly NamedConfiguration[] {
  const [before, after] = [seenBy(old), seenBy(now)];
  return [undefined, ...Object.keys({ ...now.compiled.presets, ...old.compiled.presets })].map((preset) => {
    const [former, latter] = [before(preset), after(preset)];
    return {
      name: preset === undefined ? 'nothing' : `preset ${preset}`,
      before: former.seen,
      after: latter.seen,
      changed: former.names !== latter.names || former.seen.tokens !== latter.seen.tokens,
      resent: old.count && now.count && resentAfter(former.tools, latter.tools, now.count),
    };
  });
}

/** @returns what a host without preferences, or with a preset, sees */
function seenBy({ compiled, catalog, count }: ComparedSide) {
  const policy = preparePolicy(compiled);
  const weighed = weighCatalog(policy, catalog, count ?? (() => 0));
  return (preset: string | undefined) => {
    const sources = preset === undefined ? [] : [{ from: 'session', concerns: { preset } } as const];
    const report = decideAll(resolveConfiguration(policy, sources), weighed);
    const { shown, total, tokens } = sumOf(report.all);
    const names = shownOf(report.all).map(({ kind, name }) => `${kind} ${name}`);
    const seen = { shown, total, tokens: count && tokens.shown };
    return { seen, names: names.sort().join('\n'), tools: shownTools(report) };
  };
}

/** @returns the definitions that changed under the same name */
function redefinitions(old: ComparedSide, now: ComparedSide, areFacts: boolean): readonly Redefinition[] {
  const [countOld, countNow] = [old.count, now.count];
  if (countOld === undefined || countNow === undefined || old.catalog === now.catalog) return [];
  const former = new Map(
    primitivesIn(old.catalog).map(({ kind, name, primitive }) => [`${kind} ${name}`, primitive]),
  );
  return primitivesIn(now.catalog).flatMap(({ kind, name, primitive }) => {
    const earlier = former.get(`${kind} ${name}`);
    if (earlier === undefined) return [];
    const [before, after] = [countOld(earlier), countNow(primitive)];
    const details = detailsOf(earlier, primitive, areFacts);
    const isSame = details.length === 0 && (before === after || !areFacts);
    return isSame ? [] : [{ kind, name, before, after, details }];
  });
}
