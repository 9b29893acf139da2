import { getOrMake } from '../once.js';
import type { CompiledEntry, CompiledPolicy, Kind } from './compiled-policy.js';
import { compileExpression } from './expression/evaluate.js';
import { type Expression, neededFacts, pathsOf, readsCaller } from './expression/expression.js';
import { parseExpression } from './expression/parse.js';
import { SlotTable } from './expression/slots.js';
import { closedWithoutName } from './expression/unnamed-client.js';
import { compileGlob } from './match/glob.js';
import { compileUriTemplate } from './match/uri-template.js';
import { relatedValues } from './match/within.js';
import { isScopeClaim } from './scope-claims.js';

export type {
  ClaimPath,
  CompiledAssign,
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

/**
 * Values are compared as numbers: the position in `values` for a list, the number itself for a range. `at-least` and
 * `at-most` are then the same comparison for both.
 */
export interface Assignment {
  readonly concern: number;
  readonly offered: readonly number[] | 'any';
  readonly source: string;
}

/** A part of a policy that gives values to primitives. */
export interface Values {
  readonly assignments: readonly Assignment[];
  /** Parts with the same number assign the same values. */
  readonly number: number;
  /** False if a primitive with only these values still counts as unmapped. */
  readonly maps?: false | undefined;
}

/** A policy prepared for evaluation. Names that a host may send are looked up in a Map, never in an object. */
export type Policy = Readonly<ReturnType<typeof preparePolicy>>;

/** What an entry of a policy says. */
export type Entry = Values & Pick<CompiledEntry, 'name'> & { readonly source: string };

/** A prepared rule. */
export type Rule = Policy['rules'][number];

/**
 * Prepares a compiled policy for evaluation.
 *
 * @param compiled a policy that was checked when it was compiled; it is not checked again
 * @returns the policy that `resolveConfiguration`, `bindCatalog` and `select` take
 * @throws {TypeError} if the condition of a rule or an `assign` has an unknown operator
 * @example
 * const policy = preparePolicy(JSON.parse(await readFile('policy.json', 'utf8')));
 */
export function preparePolicy(compiled: CompiledPolicy) {
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
  const toEntry = ({ name, file, line, values }: CompiledEntry) => ({
    name,
    source: `${files[file]}:${line}`,
    ...toValues(values, file),
  });
  const toMap = (entries: readonly CompiledEntry[]) =>
    new Map(entries.map((entry) => [entry.name, toEntry(entry)]));
  const toMatchers = (entries: readonly CompiledEntry[]) =>
    entries.map((entry) => ({ ...toEntry(entry), matches: compileGlob(entry.name) }));

  const slots = new SlotTable();
  const rules = compiled.rules.map((rule) => {
    const { id, effect, kinds, reason } = rule;
    const when = closedWithoutName(parseCondition(rule.when, `rule "${id}"`), effect);
    const { evaluate, paths } = compileExpression(when, slots);
    const source = `${files[rule.file]}:${rule.line}`;
    return {
      id,
      effect,
      kinds,
      when,
      fires: evaluate,
      /** Dotted paths that it reads. */
      paths,
      /** Paths of facts that are not known for every request. Without them, the rule does not fire. */
      needs: neededFacts(paths),
      source,
      ...(reason === undefined ? {} : { reason }),
    };
  });

  const rulesWith = (effect: 'hide' | 'show') =>
    byKind((kind) =>
      rules.flatMap((rule, index) => (rule.effect === effect && rule.kinds.includes(kind) ? [index] : [])),
    );

  const { defaultsFor = [] } = compiled;
  const readByDefaults = defaultsFor.flatMap(({ when }) => Object.keys(when));
  return {
    digest: compiled.digest,
    concerns,
    indexOf,
    ordinals,
    /** For each concern, the numbers of its values by what a claim contains for them. */
    claimed: concerns.map(({ values, claimValues = {} }) => {
      const texts = new Map(Object.entries(claimValues));
      const names = 'min' in values ? [] : values;
      return new Map(
        names.flatMap((name, ordinal) => (texts.get(name) ?? [name]).map((text) => [text, ordinal])),
      );
    }),
    /** For each concern with `match: within`, which of its values fit each other. */
    related: concerns.map(({ match, values }) =>
      match === 'within' && !('min' in values) ? relatedValues(values) : undefined,
    ),
    presets: new Map(
      Object.entries(compiled.presets).map(([name, values]) => [name, new Map(Object.entries(values))]),
    ),
    entries: byKind((kind) => toMap(compiled.primitives[kind])),
    patterns: byKind((kind) => toMatchers(compiled.patterns[kind])),
    /** Entries of resource templates, most specific first. A resource without an entry takes the first that matches. */
    covering: compiled.primitives.resourceTemplates
      .map((entry) => ({ ...toEntry(entry), ...compileUriTemplate(entry.name) }))
      .sort((a, b) => b.literals - a.literals),
    assigns: compiled.assign.map(({ when, values, file, line, maps }) => {
      const condition = parseCondition(when, `"assign" in ${files[file]}:${line}`);
      const { evaluate: fires } = compileExpression(condition);
      return {
        fires,
        /** Dotted paths that it reads. */
        paths: pathsOf(condition),
        ...toValues(values, file, maps),
      };
    }),
    rules,
    /** The indexes of the rules with each effect on primitives of each kind, in the order of the policy. */
    rulesFor: { hide: rulesWith('hide'), show: rulesWith('show') },
    /** The parts of all rules that depend only on the primitive. */
    slots,
    /** The defaults of some clients, by how they name themselves. Later ones win. */
    defaultsFor,
    /** Paths of claims, of the client and of the protocol that the policy reads, sorted. Callers that differ in them get separate lists. */
    callerPaths: [...new Set([...rules.flatMap(({ paths }) => paths), ...readByDefaults])]
      .filter(readsCaller)
      .sort(),
    /** Whether a concern or a rule reads the scopes of callers. */
    readsScopes:
      concerns.some(({ claim }) => isScopeClaim(claim)) ||
      rules.some(({ needs }) => needs.includes('caller.scopes')),
    /** Whether concerns with `obtainable` ask for scopes instead of hiding. Only `enforce` checks calls. */
    asksForScopes:
      compiled.settings.enforcement === 'enforce' && concerns.some(({ obtainable }) => obtainable === true),
    settings: compiled.settings,
    /** Whether preferences of a session do not change the lists, at least those of some concerns. */
    hasStableLists: compiled.settings.lists === 'stable' || concerns.some(({ lists }) => lists === 'stable'),
    /** How tools are presented, by name. */
    presented: new Map(Object.entries(compiled.present ?? {})),
    /** The pinned definitions, and what happens to others; `undefined` if none are pinned, or if nothing happens. */
    pins: preparePins(compiled),
  };
}

function preparePins({ pins, settings }: CompiledPolicy) {
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
