import { resolveConfiguration } from '../../../engine/configuration.js';
import { primitivesIn } from '../../../engine/mapping.js';
import { type CompiledPolicy, type Kind, preparePolicy } from '../../../engine/policy.js';
import type { PolicyCatalog } from '../../../policy/check/check-catalog.js';
import type { Changed } from '../../../policy/diff/change.js';
import type { Difference } from '../../../policy/diff/compare.js';
import { detailsOf, renamesOf } from '../../../policy/diff/compare-definitions.js';
import { describeCondition } from '../../../policy/diff/conditions.js';
import { ENCODING, type TokenCounter } from '../../inputs/token-counter.js';
import { decideAll, shownOf, shownTools, sumOf, weighCatalog } from '../list-report.js';
import { resentAfter } from '../prompt-cost.js';

/** Everything that `diff` reports, as `--format json` writes it. */
export type DiffReport = ReturnType<typeof makeReport>;

/** Primitives that change under one condition. */
export type ReportedGroup = DiffReport['groups'][number];

/** One primitive that is no longer shown, or is newly shown. */
export type ReportedPrimitive = ReportedGroup['hidden'][number];

/** The policies and catalogs of a comparison, and their difference. */
export interface Compared {
  readonly names: readonly [old: string, now: string];
  readonly compiled: readonly [CompiledPolicy, CompiledPolicy];
  readonly catalogs: readonly [PolicyCatalog, PolicyCatalog];
  /** Where the primitives come from; `undefined` if only the names in the policies are known. */
  readonly input: string | undefined;
  readonly counters: readonly [TokenCounter | undefined, TokenCounter | undefined];
  readonly difference: Difference;
  /** The changes of concerns, presets and settings, one line each. */
  readonly words: readonly string[];
}

/**
 * Combines a difference with names, tokens and notes.
 *
 * @param compared the policies, the catalogs and their difference
 * @returns the report
 * @example
 * process.stdout.write(toPretty(makeReport(compared), paper));
 */
export function makeReport(compared: Compared) {
  const { names, catalogs, input, counters, difference, words } = compared;
  const [countOld, countNow] = counters;
  const renames = haveDefinitions(compared) ? renamesOf(...catalogs) : new Map<string, string>();
  const reported = (direction: 'hidden' | 'shown', changed: readonly Changed[]) =>
    changed.map(({ kind, name, before, after }) => {
      /** Whether the server added or removed it. */
      const server = before === undefined ? 'new' : after === undefined ? 'gone' : undefined;
      const [count, primitive] = direction === 'hidden' ? [countOld, before] : [countNow, after];
      return { kind, name, server, tokens: primitive === undefined ? undefined : count?.(primitive) };
    });
  const groups = difference.groups.map((group) => {
    const renamed = group.shown.flatMap(({ kind, name }) => {
      const from = renames.get(`${kind} ${name}`);
      const isHidden = group.hidden.some((each) => each.kind === kind && each.name === from);
      return from !== undefined && isHidden ? [{ kind, name, from }] : [];
    });
    const [hidden, shown] = [reported('hidden', group.hidden), reported('shown', group.shown)];
    const others = (some: typeof shown, key: 'name' | 'from') =>
      some.filter(({ kind, name }) => !renamed.some((each) => each.kind === kind && each[key] === name));
    const sum = (some: ReturnType<typeof reported>) =>
      some.reduce((all, { tokens }) => all + (tokens ?? 0), 0);
    const tokens = countNow === undefined ? undefined : sum(shown) - sum(hidden);
    return {
      when: describeCondition(group.when),
      conditions: group.when.map((terms) =>
        terms.map(({ dimension: { type: by, name, choices }, choices: selected }) => ({
          by,
          name,
          // null: not requested, not claimed, or not true.
          values: [...selected].map((index) => choices[index]?.text ?? null),
        })),
      ),
      hidden: others(hidden, 'from'),
      shown: others(shown, 'name'),
      /** What has another name now, and the same definition. */
      renamed,
      /** The change of tokens in the context of a host; negative if the change saves tokens. */
      tokens,
      exact: group.exact,
    };
  });
  const distinct = (direction: 'hidden' | 'shown' | 'renamed') =>
    new Set(groups.flatMap((group) => group[direction].map(({ kind, name }) => `${kind} ${name}`))).size;
  return {
    old: names[0],
    new: names[1],
    source: input ?? null,
    primitives: primitivesIn(catalogs[1]).length,
    hidden: distinct('hidden'),
    shown: distinct('shown'),
    renamed: distinct('renamed'),
    encoding: ENCODING,
    groups,
    configurations: difference.extent ?? null,
    newlyEmpty: difference.newlyEmpty ?? null,
    /** What a host without preferences, or with one preset, sees before and after the change. */
    named: namedConfigurations(compared),
    /** The definitions that changed under the same name. */
    definitions: redefinitions(compared),
    words,
    notes: notesOf(compared, groups),
  };
}

function notesOf({ compiled, input, difference }: Compared, groups: readonly { readonly exact: boolean }[]) {
  const notes = [...difference.gaps];
  if (input === undefined) {
    notes.push(
      'No server was given, so only the names in the policies were compared, without annotations and tokens.',
    );
  }
  if (groups.some(({ exact }) => !exact)) {
    notes.push('A primitive must also match the other preferences of the host.');
  }
  if (compiled.some(({ settings }) => settings.enforcement === 'shadow')) {
    notes.push(
      'The policy has enforcement: shadow, so hosts still see everything. This is what would be hidden.',
    );
  }
  return notes;
}

function namedConfigurations(compared: Compared) {
  const [countOld, count] = compared.counters;
  const [before, after] = [seenUnder(compared, 0), seenUnder(compared, 1)];
  const [{ presets: former }, { presets }] = compared.compiled;
  return [undefined, ...Object.keys({ ...presets, ...former })].map((preset) => {
    const [old, now] = [before(preset), after(preset)];
    return {
      name: preset === undefined ? 'nothing' : `preset ${preset}`,
      before: old.seen,
      after: now.seen,
      changed: old.names !== now.names || old.seen.tokens !== now.seen.tokens,
      /** The tokens of the new list of tools that are not in the prompt cache of a host that saw the old list. */
      resent: countOld && count && resentAfter(old.tools, now.tools, count),
    };
  });
}

/** @returns what a host without preferences, or with a preset, sees before or after the change */
function seenUnder({ compiled, catalogs, counters }: Compared, at: 0 | 1) {
  const policy = preparePolicy(compiled[at]);
  const count = counters[at];
  const weighed = weighCatalog(policy, catalogs[at], count ?? (() => 0));
  return (preset: string | undefined) => {
    const sources = preset === undefined ? [] : [{ from: 'session', concerns: { preset } } as const];
    const report = decideAll(resolveConfiguration(policy, sources), weighed);
    const { shown, total, tokens } = sumOf(report.all);
    const names = shownOf(report.all).map(({ kind, name }) => `${kind} ${name}`);
    const seen = { shown, total, tokens: count && tokens.shown };
    return { seen, names: names.sort().join('\n'), tools: shownTools(report) };
  };
}

const haveDefinitions = ({ catalogs, input }: Compared): boolean =>
  input !== undefined && catalogs.every(({ encoding }) => encoding === undefined);

/** @returns the definitions that changed under the same name */
function redefinitions(compared: Compared) {
  const { catalogs, counters } = compared;
  const [countOld, countNow] = counters;
  if (countOld === undefined || countNow === undefined || catalogs[0] === catalogs[1]) return [];
  const areFacts = !haveDefinitions(compared);
  const keyOf = ({ kind, name }: { readonly kind: Kind; readonly name: string }): string => `${kind} ${name}`;
  const old = new Map(primitivesIn(catalogs[0]).map((each) => [keyOf(each), each.primitive]));
  return primitivesIn(catalogs[1]).flatMap(({ kind, name, primitive }) => {
    const earlier = old.get(keyOf({ kind, name }));
    if (earlier === undefined) return [];
    const [before, after] = [countOld(earlier), countNow(primitive)];
    const details = detailsOf(earlier, primitive, areFacts);
    const isSame = details.length === 0 && (before === after || !areFacts);
    return isSame ? [] : [{ kind, name, before, after, details }];
  });
}
