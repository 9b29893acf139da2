import { resolveConfiguration } from '../../engine/configuration.js';
import { decide } from '../../engine/evaluate.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { identityOf, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { type CompiledPolicy, KINDS, type Kind, type Policy, preparePolicy } from '../../engine/policy.js';
import type { Changed, Extent, Term } from '../../policy/diff/change.js';
import type { Difference } from '../../policy/diff/compare.js';
import { describeCondition } from '../../policy/diff/conditions.js';
import type { TokenCounter } from '../inputs/token-counter.js';

/** One primitive that is no longer shown, or is shown now. */
export interface ReportedPrimitive {
  readonly kind: Kind;
  readonly name: string;
  readonly tokens: number | undefined;
  /** The server has it since the change, or no longer. */
  readonly server: 'new' | 'gone' | undefined;
}

export interface ReportedGroup {
  readonly when: string;
  readonly conditions: readonly (readonly Term[])[];
  readonly hidden: readonly ReportedPrimitive[];
  readonly shown: readonly ReportedPrimitive[];
  /** What the group changes in a host's context; negative where it saves. */
  readonly tokens: number | undefined;
  readonly exact: boolean;
}

/** What a host that asks for something well known sees before and after. */
export interface NamedConfiguration {
  readonly name: string;
  readonly before: Seen;
  readonly after: Seen;
  readonly changed: boolean;
}

export interface Seen {
  readonly shown: number;
  readonly total: number;
  readonly tokens: number | undefined;
}

/** A definition that costs more or less than it did. */
export interface Redefined {
  readonly kind: Kind;
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

/** Everything that is said of a change. */
export interface DiffReport {
  readonly names: readonly [old: string, now: string];
  /** Where the primitives come from; nothing where only their names are known. */
  readonly source: string | undefined;
  readonly total: number;
  readonly groups: readonly ReportedGroup[];
  readonly hidden: number;
  readonly shown: number;
  readonly named: readonly NamedConfiguration[];
  readonly redefined: readonly Redefined[];
  readonly words: readonly string[];
  readonly extent: Extent | undefined;
  readonly newlyEmpty: Readonly<Record<string, unknown>> | undefined;
  readonly notes: readonly string[];
}

export interface Compared {
  readonly names: readonly [string, string];
  readonly compiled: readonly [CompiledPolicy, CompiledPolicy];
  readonly surfaces: readonly [ServerCatalog, ServerCatalog];
  readonly source: string | undefined;
  readonly counters: readonly [TokenCounter | undefined, TokenCounter | undefined];
  readonly difference: Difference;
  readonly words: readonly string[];
}

/**
 * Puts together what is said of a change, with what it costs.
 *
 * @param compared the policies, the servers and their difference
 * @returns the report
 */
export function makeReport(compared: Compared): DiffReport {
  const { names, surfaces, source, counters, difference, words } = compared;
  const [countOld, countNow] = counters;
  const reported = (direction: 'hidden' | 'shown', changed: readonly Changed[]): ReportedPrimitive[] =>
    changed.map(({ kind, name, before, after }) => {
      const server = before === undefined ? 'new' : after === undefined ? 'gone' : undefined;
      const [count, primitive] = direction === 'hidden' ? [countOld, before] : [countNow, after];
      return { kind, name, server, tokens: primitive === undefined ? undefined : count?.(primitive) };
    });
  const groups = difference.groups.map((group): ReportedGroup => {
    const [hidden, shown] = [reported('hidden', group.hidden), reported('shown', group.shown)];
    const sum = (some: readonly ReportedPrimitive[]) =>
      some.reduce((all, { tokens }) => all + (tokens ?? 0), 0);
    const tokens = countNow === undefined ? undefined : sum(shown) - sum(hidden);
    return {
      when: describeCondition(group.when),
      conditions: group.when,
      hidden,
      shown,
      tokens,
      exact: group.exact,
    };
  });
  const distinct = (direction: 'hidden' | 'shown') =>
    new Set(groups.flatMap((group) => group[direction].map(({ kind, name }) => `${kind} ${name}`))).size;
  return {
    names,
    source,
    total: KINDS.reduce((sum, kind) => sum + (surfaces[1][kind]?.length ?? 0), 0),
    groups,
    hidden: distinct('hidden'),
    shown: distinct('shown'),
    named: namedConfigurations(compared),
    redefined: redefinitions(compared),
    words,
    extent: difference.extent,
    newlyEmpty: difference.newlyEmpty,
    notes: notesOf(compared, groups),
  };
}

function notesOf({ compiled, source, difference }: Compared, groups: readonly ReportedGroup[]): string[] {
  const notes = [...difference.gaps];
  if (source === undefined) {
    notes.push(
      'No server was given: only names that the policies list were looked at, without annotations and tokens.',
    );
  }
  if (groups.some(({ exact }) => !exact)) {
    notes.push('A primitive still has to fit everything else that is asked for.');
  }
  if (compiled.some(({ settings }) => settings.enforcement === 'shadow')) {
    notes.push('Under enforcement: shadow hosts are shown everything; this is what would be hidden.');
  }
  return notes;
}

function namedConfigurations({ compiled, surfaces, counters }: Compared): NamedConfiguration[] {
  const policies = compiled.map(preparePolicy);
  const [before, after] = policies;
  if (before === undefined || after === undefined) return [];
  const mapped = [mapAll(before, surfaces[0]), mapAll(after, surfaces[1])] as const;
  const presets = [...new Set([...after.presets.keys(), ...before.presets.keys()])];
  return [undefined, ...presets].map((preset) => {
    const see = (at: 0 | 1): Seen & { names: string } => {
      const policy = at === 0 ? before : after;
      const carriers = preset === undefined ? [] : [{ from: 'session', concerns: { preset } } as const];
      const configuration = resolveConfiguration(policy, carriers);
      const shown = mapped[at].filter(
        ({ mapping }) => decide(policy, mapping, configuration).effect === 'show',
      );
      const count = counters[at];
      return {
        shown: shown.length,
        total: mapped[at].length,
        tokens: count && shown.reduce((sum, { primitive }) => sum + count(primitive), 0),
        names: shown
          .map(({ key }) => key)
          .sort()
          .join('\n'),
      };
    };
    const [{ names: old, ...first }, { names: now, ...second }] = [see(0), see(1)];
    return {
      name: preset === undefined ? 'nothing' : `preset ${preset}`,
      before: first,
      after: second,
      changed: old !== now || first.tokens !== second.tokens,
    };
  });
}

function mapAll(policy: Policy, surface: ServerCatalog) {
  return KINDS.flatMap((kind) =>
    (surface[kind] ?? []).map((primitive) => ({
      primitive,
      key: `${kind} ${identityOf(kind, primitive)}`,
      mapping: mapPrimitive(policy, kind, primitive),
    })),
  );
}

function redefinitions({ surfaces, counters }: Compared): Redefined[] {
  const [countOld, countNow] = counters;
  if (countOld === undefined || countNow === undefined || surfaces[0] === surfaces[1]) return [];
  return KINDS.flatMap((kind) => {
    const old = new Map<string, Primitive>(
      (surfaces[0][kind] ?? []).map((each) => [identityOf(kind, each), each]),
    );
    return (surfaces[1][kind] ?? []).flatMap((primitive): Redefined[] => {
      const name = identityOf(kind, primitive);
      const earlier = old.get(name);
      if (earlier === undefined) return [];
      const [before, after] = [countOld(earlier), countNow(primitive)];
      return before === after ? [] : [{ kind, name, before, after }];
    });
  });
}
