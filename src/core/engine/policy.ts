import { getOrMake } from '../once.js';
import type {
  ClientDefaults,
  CompiledEntry,
  CompiledPolicy,
  Concern,
  Kind,
  Presentation,
  Settings,
} from './compiled-policy.js';
import { closedWithoutFacts } from './expression/closed.js';
import { compileExpression, type Evaluate } from './expression/evaluate.js';
import { type Expression, neededFacts, pathsOf, readsCaller } from './expression/expression.js';
import { parseExpression } from './expression/parse.js';
import { SlotTable } from './expression/slots.js';
import { compileGlob } from './match/glob.js';
import { compileUriTemplate } from './match/uri-template.js';
import { type Related, relatedValues } from './match/within.js';
import { isScopeClaim } from './scope-claims.js';
import type { Assignment, Entry, Values } from './uses/policy-parts.js';
import {
  type Bind,
  bindsIn,
  type NamedUse,
  type RuleArgument,
  ruleArgument,
  toolsOnly,
  usesIn,
} from './uses/policy-uses.js';
import { parseUse } from './uses/use-name.js';

export type {
  ClaimPath,
  CompiledAssign,
  CompiledBind,
  CompiledEntry,
  CompiledPolicy,
  CompiledRulePart,
  CompiledValue,
  Concern,
  ConcernValue,
  ConcernValues,
  Kind,
  Pins,
  Presentation,
  Settings,
} from './compiled-policy.js';
export { KINDS } from './compiled-policy.js';

export type { Assignment, Entry, Values } from './uses/policy-parts.js';

/** An entry that is a pattern or a template. */
export interface Matcher extends Entry {
  readonly matches: (text: string) => boolean;
}

/** A prepared `assign`: it gives values to the primitives that it fires for. */
export interface Assign extends Values {
  readonly fires: Evaluate;
  /** Dotted paths that it reads. */
  readonly paths: readonly string[];
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
  /** Paths of facts that are not known for every request. Without them, the rule does not fire. */
  readonly needs: readonly string[];
  /** The argument of calls that it reads, if it does. */
  readonly argument?: RuleArgument;
  readonly reason?: string;
  readonly source: string;
}

/**
 * A policy prepared for evaluation. All requests of a process share it, so nothing can change it. Names that a host may send
 * are looked up in a Map, never in an object.
 */
export interface Policy {
  readonly digest: string;
  /** What its author calls this version, for logs. */
  readonly label?: string;
  readonly concerns: readonly Concern[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly ordinals: readonly ReadonlyMap<string, number>[];
  /** For each concern, the numbers of its values by what a claim contains for them. */
  readonly claimed: readonly ReadonlyMap<string, number>[];
  /** For each concern with `match: within`, which of its values fit each other. */
  readonly related: readonly (Related | undefined)[];
  readonly presets: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly entries: { readonly [K in Kind]: ReadonlyMap<string, Entry> };
  readonly patterns: { readonly [K in Kind]: readonly Matcher[] };
  /** Entries of resource templates, most specific first. A resource without an entry takes the first that matches. */
  readonly covering: readonly Matcher[];
  readonly assigns: readonly Assign[];
  readonly rules: readonly Rule[];
  /** The indexes of the rules with each effect on primitives of each kind, in the order of the policy. */
  readonly rulesFor: { readonly [E in Rule['effect']]: { readonly [K in Kind]: readonly number[] } };
  /** The parts of all rules that depend only on the primitive. */
  readonly slots: SlotTable;
  /** The defaults of some clients, by how they name themselves. Later ones win. */
  readonly defaultsFor: readonly ClientDefaults[];
  /** Paths of claims, of the client and of the protocol that the policy reads, sorted. Callers that differ in them get separate lists. */
  readonly callerPaths: readonly string[];
  /** Whether concerns with `obtainable` ask for scopes instead of hiding. Only `enforce` checks calls. */
  readonly asksForScopes: boolean;
  /** Whether a concern or a rule reads the scopes of callers. */
  readonly readsScopes: boolean;
  readonly settings: Settings;
  /** Whether preferences of a session do not change the lists, at least those of some concerns. */
  readonly hasStableLists: boolean;
  /** How tools are presented, by name. */
  readonly presented: ReadonlyMap<string, Presentation>;
  /** The hints of uses, by name. */
  readonly presentedUses: ReadonlyMap<string, Readonly<Record<string, boolean>>>;
  /** What entries and patterns say about uses of tools, weakest first. */
  readonly uses: readonly NamedUse[];
  /** The only values of arguments. */
  readonly binds: readonly Bind[];
  /** Whether anything depends on the arguments of calls. */
  readonly isAboutArguments: boolean;
  /** The pinned definitions, and what happens to others; `undefined` if none are pinned, or if nothing happens. */
  readonly pins:
    | {
        readonly digests: { readonly [K in Kind]: ReadonlyMap<string, string> };
        readonly changed: 'warn' | 'hide';
      }
    | undefined;
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

  const known = new Map<string, number>();
  const toValues = (values: CompiledEntry['values'], file: number, maps?: false): Values => {
    const assignments: Assignment[] = [];
    let key = maps === false ? 'unmapped;' : '';
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
      key += `${concern}=${offered};`;
    }
    return { assignments, number: getOrMake(known, key, () => known.size), maps };
  };
  const toEntry = ({ name, file, line, values }: CompiledEntry): Entry => ({
    name,
    source: `${files[file]}:${line}`,
    ...toValues(values, file),
  });
  const toMap = (entries: readonly CompiledEntry[]) =>
    new Map(entries.map((entry) => [entry.name, toEntry(entry)]));
  const toMatchers = (entries: readonly CompiledEntry[]) =>
    entries.map((entry) => ({ ...toEntry(entry), matches: compileGlob(entry.name) }));

  const slots = new SlotTable();
  const isOperatorConcern = (name: string): boolean => {
    const index = indexOf.get(name);
    return index !== undefined && concerns[index]?.setBy === 'operator';
  };
  const rules = compiled.rules.map((rule): Rule => {
    const { id, effect, kinds, reason } = rule;
    const when = closedWithoutFacts(parseCondition(rule.when, `rule "${id}"`), effect, isOperatorConcern);
    const { evaluate, paths } = compileExpression(when, slots);
    const source = `${files[rule.file]}:${rule.line}`;
    const argument = ruleArgument(when);
    return {
      id,
      effect,
      kinds,
      when,
      fires: evaluate,
      paths,
      needs: neededFacts(paths),
      ...(argument === undefined ? {} : { argument }),
      source,
      ...(reason === undefined ? {} : { reason }),
    };
  });

  const rulesWith = (effect: 'hide' | 'show') =>
    byKind((kind) =>
      rules.flatMap((rule, index) => (rule.effect === effect && rule.kinds.includes(kind) ? [index] : [])),
    );

  const uses = usesIn(compiled, toEntry);
  const binds = bindsIn(compiled, parseCondition);
  const presented = Object.entries(compiled.present ?? {});
  const { defaultsFor = [] } = compiled;
  const readByDefaults = defaultsFor.flatMap(({ when }) => Object.keys(when));
  return {
    digest: compiled.digest,
    ...(compiled.label === undefined ? {} : { label: compiled.label }),
    concerns,
    indexOf,
    ordinals,
    claimed: concerns.map(({ values, claimValues = {} }) => {
      const texts = new Map(Object.entries(claimValues));
      const names = 'min' in values ? [] : values;
      return new Map(
        names.flatMap((name, ordinal) => (texts.get(name) ?? [name]).map((text) => [text, ordinal])),
      );
    }),
    related: concerns.map(({ match, values }) =>
      match === 'within' && !('min' in values) ? relatedValues(values) : undefined,
    ),
    presets: new Map(
      Object.entries(compiled.presets).map(([name, values]) => [name, new Map(Object.entries(values))]),
    ),
    entries: byKind((kind) => toMap(ofPrimitives(kind, compiled.primitives[kind]))),
    patterns: byKind((kind) => toMatchers(ofPrimitives(kind, compiled.patterns[kind]))),
    covering: compiled.primitives.resourceTemplates
      .map((entry) => ({ ...toEntry(entry), ...compileUriTemplate(entry.name) }))
      .sort((a, b) => b.literals - a.literals),
    assigns: compiled.assign.map(({ when, values, file, line, maps }) => {
      const condition = parseCondition(when, `"assign" in ${files[file]}:${line}`);
      const { evaluate: fires } = compileExpression(condition);
      return {
        fires,
        paths: pathsOf(condition),
        ...toValues(values, file, maps),
      };
    }),
    rules,
    rulesFor: { hide: rulesWith('hide'), show: rulesWith('show') },
    slots,
    defaultsFor,
    callerPaths: [...new Set([...[...rules, ...binds].flatMap(({ paths }) => paths), ...readByDefaults])]
      .filter(readsCaller)
      .sort(),
    readsScopes:
      concerns.some(({ claim }) => isScopeClaim(claim)) ||
      rules.some(({ needs }) => needs.includes('caller.scopes')) ||
      binds.some(({ paths }) => paths.includes('caller.scopes')),
    asksForScopes:
      compiled.settings.enforcement === 'enforce' && concerns.some(({ obtainable }) => obtainable === true),
    settings: compiled.settings,
    hasStableLists: compiled.settings.lists === 'stable' || concerns.some(({ lists }) => lists === 'stable'),
    presented: new Map(presented.filter(([name]) => parseUse(name) === undefined)),
    presentedUses: new Map(
      presented.flatMap(([name, { annotations }]) =>
        annotations === undefined || parseUse(name) === undefined ? [] : [[name, annotations]],
      ),
    ),
    uses,
    binds,
    isAboutArguments: uses.length + binds.length > 0 || rules.some(({ argument }) => argument !== undefined),
    pins: preparePins(compiled),
  };
}

/** The entries that name primitives. What names uses of tools is elsewhere, so that no tool can take it. */
const ofPrimitives = (kind: Kind, entries: readonly CompiledEntry[]): readonly CompiledEntry[] =>
  kind === 'tools' ? toolsOnly(entries) : entries;

function preparePins({ pins, settings }: CompiledPolicy): Policy['pins'] {
  const changed = settings.changed ?? (settings.enforcement === 'enforce' ? 'hide' : 'warn');
  if (pins === undefined || changed === 'show') return undefined;
  return { digests: byKind((kind) => new Map(Object.entries(pins[kind]))), changed };
}

function parseCondition(when: unknown, what: string): Expression {
  const { expression, problems } = parseExpression(when);
  const unknown = problems.find((problem) => problem.code === 'unknown-operator');
  if (unknown === undefined) return expression;
  // A checked policy has no such operator. Treating it as a constant could show what the rule must hide.
  throw new TypeError(`The condition of ${what} has an unknown operator, "${unknown.operator}".`);
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
