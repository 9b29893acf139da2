import { compileGlob } from './match/glob.js';
import { compileUriTemplate } from './match/uri-template.js';
import { compileRule, type Evaluate, SlotTable } from './rule.js';

/** The kinds of primitives that a policy maps, by the name of their key in an MCP list result. */
export const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
export type Kind = (typeof KINDS)[number];

/** A concern's values: an ordered list of names, or a range of numbers. */
export type ConcernValues = readonly string[] | { readonly min: number; readonly max: number };
/** A value as people write it: a name of a list, or a number of a range. */
export type ConcernValue = string | number;

export interface Concern {
  readonly name: string;
  readonly description?: string;
  readonly values: ConcernValues;
  readonly match: 'exact' | 'at-least' | 'at-most';
  readonly multiple: boolean;
  readonly default?: ConcernValue;
  readonly setBy: 'host' | 'operator';
  readonly claim?: string;
}

export interface Settings {
  readonly unmapped: 'show' | 'hide';
  readonly defaults: 'aware' | 'always' | 'never';
  readonly invalid: 'error' | 'ignore' | 'clamp';
  readonly enforcement: 'advisory' | 'enforce' | 'shadow';
  readonly transparency: boolean;
  readonly pageSize?: number;
}

/** Values that primitives get by what the server says of them. */
export interface CompiledAssign {
  readonly when: unknown;
  readonly file: number;
  readonly line: number;
  readonly values: { readonly [concern: string]: CompiledValue };
}

/** A rule: JSON Logic that hides or shows primitives of some kinds. */
export interface CompiledRulePart {
  readonly id: string;
  readonly effect: 'hide' | 'show';
  readonly kinds: readonly Kind[];
  readonly when: unknown;
  readonly reason?: string;
  readonly file: number;
  readonly line: number;
}

/** What one entry or pattern says of one concern: the values that fit; `any` takes a weaker source's value away. */
export interface CompiledValue {
  readonly is: readonly ConcernValue[] | 'any';
  readonly line: number;
}

/** An entry (exact name, URI or URI template) or a pattern of a policy, with the place where it was written. */
export interface CompiledEntry {
  readonly name: string;
  readonly file: number;
  readonly line: number;
  readonly values: { readonly [concern: string]: CompiledValue };
}

/** A checked policy as plain JSON: what a Lambda bundle carries instead of YAML. */
export interface CompiledPolicy {
  readonly format: 1;
  readonly digest: string;
  readonly files: readonly string[];
  readonly concerns: readonly Concern[];
  readonly presets: {
    readonly [name: string]: { readonly [concern: string]: ConcernValue | readonly string[] | null };
  };
  readonly primitives: { readonly [K in Kind]: readonly CompiledEntry[] };
  readonly patterns: { readonly [K in Kind]: readonly CompiledEntry[] };
  readonly assign: readonly CompiledAssign[];
  readonly rules: readonly CompiledRulePart[];
  readonly settings: Settings;
}

/**
 * Values are compared as numbers: the position in `values` for a list, the number itself for a range.
 * That makes `at-least` and `at-most` one comparison for both.
 */
export interface Assignment {
  readonly concern: number;
  readonly offered: readonly number[] | 'any';
  readonly source: string;
}

export interface Entry {
  readonly name: string;
  readonly source: string;
  readonly assignments: readonly Assignment[];
}

export interface Matcher extends Entry {
  readonly matches: (text: string) => boolean;
}

/** An `assign` made ready: fires on what a primitive says of itself. */
export interface Assign {
  readonly fires: Evaluate;
  readonly assignments: readonly Assignment[];
}

/** A rule made ready. */
export interface Rule {
  readonly id: string;
  readonly effect: 'hide' | 'show';
  readonly kinds: readonly Kind[];
  readonly when: unknown;
  readonly fires: Evaluate;
  /** Dotted paths that it reads. */
  readonly paths: readonly string[];
  readonly reason?: string;
  readonly source: string;
}

/** A policy made ready for evaluation: every name that a host may send is looked up in a Map, never in an object. */
export interface Policy {
  readonly digest: string;
  readonly concerns: readonly Concern[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly ordinals: readonly ReadonlyMap<string, number>[];
  readonly presets: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly entries: { readonly [K in Kind]: ReadonlyMap<string, Entry> };
  readonly patterns: { readonly [K in Kind]: readonly Matcher[] };
  /** Entries of resource templates, most specific first: what a URI without an entry inherits from. */
  readonly covering: readonly Matcher[];
  readonly assigns: readonly Assign[];
  readonly rules: readonly Rule[];
  /** The parts of all rules that depend on the primitive alone. */
  readonly slots: SlotTable;
  /** Paths of claims and of the client that rules read: two callers who differ there get lists of their own. */
  readonly callerPaths: readonly string[];
  readonly settings: Settings;
}

/**
 * Makes a compiled policy ready for evaluation.
 *
 * @param compiled a policy that was checked when it was compiled; its contents are trusted here
 * @returns the policy that `resolveConfiguration`, `bindCatalog` and `select` take
 * @example
 * const policy = preparePolicy(JSON.parse(await readFile('policy.json', 'utf8')));
 */
export function preparePolicy(compiled: CompiledPolicy): Policy {
  const { concerns, files } = compiled;
  const indexOf = new Map(concerns.map((concern, index) => [concern.name, index]));
  const ordinals = concerns.map(
    ({ values }) => new Map('min' in values ? [] : values.map((value, ordinal) => [value, ordinal])),
  );

  const toAssignments = (values: CompiledEntry['values'], file: number): Assignment[] => {
    const assignments: Assignment[] = [];
    // A policy has thousands of these, and a cold start waits for them: no list is made in between.
    for (const name in values) {
      const value = values[name];
      const concern = indexOf.get(name);
      if (value === undefined || concern === undefined) continue;
      const numbers = ordinals[concern];
      const offered =
        value.is === 'any'
          ? value.is
          : value.is.map((each) => (typeof each === 'number' ? each : (numbers?.get(each) ?? Number.NaN)));
      assignments.push({ concern, offered, source: `${files[file]}:${value.line}` });
    }
    return assignments;
  };
  const toEntry = ({ name, file, line, values }: CompiledEntry): Entry => ({
    name,
    source: `${files[file]}:${line}`,
    assignments: toAssignments(values, file),
  });
  const toMap = (entries: readonly CompiledEntry[]) =>
    new Map(entries.map((entry) => [entry.name, toEntry(entry)]));
  const toMatchers = (entries: readonly CompiledEntry[]) =>
    entries.map((entry) => ({ ...toEntry(entry), matches: compileGlob(entry.name) }));

  const slots = new SlotTable();
  const rules = compiled.rules.map((rule): Rule => {
    const { evaluate, paths } = compileRule(rule.when, slots);
    const { id, effect, kinds, when, reason } = rule;
    const source = `${files[rule.file]}:${rule.line}`;
    return {
      id,
      effect,
      kinds,
      when,
      fires: evaluate,
      paths,
      source,
      ...(reason === undefined ? {} : { reason }),
    };
  });

  return {
    digest: compiled.digest,
    concerns,
    indexOf,
    ordinals,
    presets: new Map(
      Object.entries(compiled.presets).map(([name, values]) => [name, new Map(Object.entries(values))]),
    ),
    entries: byKind((kind) => toMap(compiled.primitives[kind])),
    patterns: byKind((kind) => toMatchers(compiled.patterns[kind])),
    covering: compiled.primitives.resourceTemplates
      .map((entry) => ({ ...toEntry(entry), ...compileUriTemplate(entry.name) }))
      .sort((a, b) => b.literals - a.literals),
    assigns: compiled.assign.map(({ when, values, file }) => ({
      fires: compileRule(when).evaluate,
      assignments: toAssignments(values, file),
    })),
    rules,
    slots,
    callerPaths: [...new Set(rules.flatMap(({ paths }) => paths))]
      .filter((path) => /^(claims|client)\b/.test(path))
      .sort(),
    settings: compiled.settings,
  };
}

/** One value for each kind of primitive. */
export function byKind<T>(make: (kind: Kind) => T): { [K in Kind]: T } {
  return {
    tools: make('tools'),
    prompts: make('prompts'),
    resources: make('resources'),
    resourceTemplates: make('resourceTemplates'),
  };
}
