import { compileExpression, type Evaluate, SlotTable } from './expression/evaluate.js';
import { type Expression, readsCaller, readsClient } from './expression/expression.js';
import { parseExpression } from './expression/parse.js';
import { compileGlob } from './match/glob.js';
import { compileUriTemplate } from './match/uri-template.js';

/** The kinds of primitives that a policy maps, by their key in an MCP list result. */
export const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
export type Kind = (typeof KINDS)[number];

/** A concern's values: an ordered list of names, or a range of numbers. */
export type ConcernValues = readonly string[] | { readonly min: number; readonly max: number };
/** A value as policies and hosts write it: a name from a list, or a number from a range. */
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
  /** Methods, and patterns of methods, that pass under `enforce` although nothing filters them. */
  readonly methods?: readonly string[];
}

/** Values that a primitive gets because of what the server says about it. */
export interface CompiledAssign {
  readonly when: unknown;
  readonly file: number;
  readonly line: number;
  readonly values: { readonly [concern: string]: CompiledValue };
}

/** A rule that hides or shows primitives of some kinds. `when` is JSON Logic. */
export interface CompiledRulePart {
  readonly id: string;
  readonly effect: 'hide' | 'show';
  readonly kinds: readonly Kind[];
  readonly when: unknown;
  readonly reason?: string;
  readonly file: number;
  readonly line: number;
}

/** What one entry or pattern says about one concern: the primitive's values, or `any` to remove a weaker value. */
export interface CompiledValue {
  readonly is: readonly ConcernValue[] | 'any';
  readonly line: number;
}

/** An entry (exact name, URI or URI template) or a pattern of a policy, and where it was written. */
export interface CompiledEntry {
  readonly name: string;
  readonly file: number;
  readonly line: number;
  readonly values: { readonly [concern: string]: CompiledValue };
}

/** A checked policy as plain JSON. A Lambda bundle contains this instead of YAML. */
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
 * Values are compared as numbers: the position in `values` for a list, the number itself for a range. `at-least` and
 * `at-most` are then the same comparison for both.
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

/** A prepared `assign`: it gives values to the primitives that it fires for. */
export interface Assign {
  readonly fires: Evaluate;
  readonly assignments: readonly Assignment[];
}

/** A prepared rule. */
export interface Rule {
  readonly id: string;
  readonly effect: 'hide' | 'show';
  readonly kinds: readonly Kind[];
  readonly when: Expression;
  readonly fires: Evaluate;
  /** Dotted paths that it reads. */
  readonly paths: readonly string[];
  /** Whether it reads what the client can do, which is not known for every request. */
  readonly readsClient: boolean;
  readonly reason?: string;
  readonly source: string;
}

/** A policy prepared for evaluation. Names that a host may send are looked up in a Map, never in an object. */
export interface Policy {
  readonly digest: string;
  readonly concerns: readonly Concern[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly ordinals: readonly ReadonlyMap<string, number>[];
  readonly presets: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly entries: { readonly [K in Kind]: ReadonlyMap<string, Entry> };
  readonly patterns: { readonly [K in Kind]: readonly Matcher[] };
  /** Entries of resource templates, most specific first. A resource without an entry takes the first that matches. */
  readonly covering: readonly Matcher[];
  readonly assigns: readonly Assign[];
  readonly rules: readonly Rule[];
  /** The parts of all rules that depend only on the primitive. */
  readonly slots: SlotTable;
  /** Paths of claims and of the client that rules read, sorted. Callers that differ in them get separate lists. */
  readonly callerPaths: readonly string[];
  readonly settings: Settings;
}

/**
 * Prepares a compiled policy for evaluation.
 *
 * @param compiled a policy that was checked when it was compiled; it is not checked again
 * @returns the policy that `resolveConfiguration`, `bindCatalog` and `select` take
 * @throws {TypeError} if the condition of a rule or an `assign` has an unknown operator
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
    // A policy has thousands of these, and a cold start waits for them: this loop creates no intermediate lists.
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
    const { id, effect, kinds, reason } = rule;
    const when = parseCondition(rule.when, `rule "${id}"`);
    const { evaluate, paths } = compileExpression(when, slots);
    const source = `${files[rule.file]}:${rule.line}`;
    return {
      id,
      effect,
      kinds,
      when,
      fires: evaluate,
      paths,
      readsClient: paths.some(readsClient),
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
    assigns: compiled.assign.map(({ when, values, file, line }) => ({
      fires: compileExpression(parseCondition(when, `"assign" in ${files[file]}:${line}`)).evaluate,
      assignments: toAssignments(values, file),
    })),
    rules,
    slots,
    callerPaths: [...new Set(rules.flatMap(({ paths }) => paths))].filter(readsCaller).sort(),
    settings: compiled.settings,
  };
}

function parseCondition(when: unknown, what: string): Expression {
  const { expression, problems } = parseExpression(when);
  for (const problem of problems) {
    // A checked policy has no such operator. Treating it as a constant could show what the rule must hide.
    if (problem.code !== 'unknown-operator') continue;
    throw new TypeError(`The condition of ${what} has an unknown operator, "${problem.operator}".`);
  }
  return expression;
}

/**
 * @param make computes the value for one kind
 * @returns an object with one value for each kind of primitive
 * @example
 * byKind((kind) => kind.length); // { tools: 5, prompts: 7, resources: 9, resourceTemplates: 17 }
 */
export function byKind<T>(make: (kind: Kind) => T): { [K in Kind]: T } {
  return {
    tools: make('tools'),
    prompts: make('prompts'),
    resources: make('resources'),
    resourceTemplates: make('resourceTemplates'),
  };
}
