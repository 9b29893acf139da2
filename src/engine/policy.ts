import { compileGlob } from './glob.js';
import { compileUriTemplate } from './uri-template.js';

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
  readonly enforcement: 'advisory' | 'shadow';
  readonly transparency: boolean;
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

  const toEntry = (entry: CompiledEntry): Entry => {
    const file = files[entry.file] ?? '';
    const assignments: Assignment[] = [];
    for (const [name, value] of Object.entries(entry.values)) {
      const concern = indexOf.get(name);
      if (concern === undefined) continue;
      const offered =
        value.is === 'any'
          ? value.is
          : value.is.map((each) =>
              typeof each === 'number' ? each : (ordinals[concern]?.get(each) ?? Number.NaN),
            );
      assignments.push({ concern, offered, source: `${file}:${value.line}` });
    }
    return { name: entry.name, source: `${file}:${entry.line}`, assignments };
  };
  const toMap = (entries: readonly CompiledEntry[]) =>
    new Map(entries.map((entry) => [entry.name, toEntry(entry)]));
  const toMatchers = (entries: readonly CompiledEntry[]) =>
    entries.map((entry) => ({ ...toEntry(entry), matches: compileGlob(entry.name) }));

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
