import { getOrMake, groupBy, once } from '../../once.js';
import { configurationFor } from '../added-tools.js';
import type { Configuration } from '../effective.js';
import { decide, type IndexedDecision } from '../evaluate.js';
import { isTruthy } from '../expression/evaluate.js';
import {
  collectOffers,
  identityOf,
  type Mapping,
  type Primitive,
  patternName,
  type Readable,
  readable,
} from '../mapping.js';
import { compileGlob } from '../match/glob.js';
import type { Policy } from '../policy.js';
import { argumentNames, argumentsOf, type DeclaredArgument, type Domain } from './domain.js';
import type { Bind, NamedUse, RuleArgument } from './policy-uses.js';
import { type Scalar, useName } from './use-name.js';

/** An entry or a pattern about values of an argument. */
type ValuedUse = NamedUse & { readonly value: string };

/** An argument of a tool that the policy is about. */
export interface PolicyArgument extends DeclaredArgument {
  /** What the policy says about calls that send any value. */
  readonly given: readonly NamedUse[];
  /** What it says about some values, weakest first. */
  readonly valued: readonly ValuedUse[];
  readonly rules: readonly RuleArgument[];
  /** What gives the only values. */
  readonly bound: readonly Bind[];
  /** Whether the policy is about values that cannot be decided. Then no call may send the argument. */
  readonly isUndecidable: boolean;
  /**
   * The same for arguments of a list of which every configuration leaves the same, because all that decides about them is equal.
   * Absent if something decides about this one alone.
   */
  readonly group: object | undefined;
}

/** What is the same for arguments of one list, by a text of all that decides about them. */
export type ArgumentGroups = Map<string, object>;

/** What a policy says about the arguments of one tool. */
export interface ToolUses {
  readonly policy: Policy;
  readonly tool: string;
  readonly primitive: Primitive;
  /** What rules and `assign` read of the tool. */
  readonly data: Readable;
  readonly declared: ReadonlySet<string>;
  /** The arguments that the policy is about, in the order of the schema. */
  readonly arguments: readonly PolicyArgument[];
  /** Whether the policy says something about an argument that has this name, in any case. */
  readonly names: (argument: string) => boolean;
  /** Whether a part of the policy without values maps the tool: its uses are then mapped, too. */
  readonly isMapped: () => boolean;
}

/**
 * Finds what a policy says about the arguments of a tool.
 *
 * @param policy the policy
 * @param primitive the tool as the server lists it
 * @param data what rules and `assign` read of it
 * @param groups the arguments of the other tools of a list
 * @returns `undefined` if it says nothing
 * @example
 * usesOf(policy, tool)?.arguments.map(({ name }) => name); // ['action']
 */
export function usesOf(
  policy: Policy,
  primitive: Primitive,
  data: Readable = readable(policy, 'tools', primitive),
  groups?: ArgumentGroups,
): ToolUses | undefined {
  if (!policy.isAboutArguments) return undefined;
  const tool = identityOf('tools', primitive);
  const full = patternName(tool, primitive);
  const { patterns, byTool } = namedUses(policy);
  const named = [...patterns.filter(({ matchesTool }) => matchesTool(full)), ...(byTool.get(tool) ?? [])];
  const rules = rulesFor(policy, data);
  const binds = policy.binds.filter(({ matchesTool }) => matchesTool(full));
  if (named.length + rules.length + binds.length === 0) return undefined;
  const isAbout = (name: string): boolean =>
    named.some(({ matchesArgument }) => matchesArgument(name)) ||
    rules.some((rule) => rule.name === name) ||
    binds.some(({ argument }) => argument === name);
  const isMapped = once(() =>
    policy.assigns.some(
      ({ assignments, maps, fires }) =>
        assignments.length === 0 && maps !== false && isTruthy(fires({ primitive: data }, [])),
    ),
  );
  // What rules read of a tool is its own.
  const shared =
    groups === undefined || policy.slots.fill(data).length > 0 ? undefined : { groups, isMapped };
  return {
    policy,
    tool,
    primitive,
    data,
    declared: new Set(argumentNames(primitive)),
    arguments: argumentsOf(primitive, isAbout).map((argument) =>
      policyArgument(argument, named, rules, binds, shared),
    ),
    names: namesOf(named, [...rules.map(({ name }) => name), ...binds.map(({ argument }) => argument)]),
    isMapped,
  };
}

/** The patterns of a policy about uses, and its entries by the tool that they name. */
interface NamedUses {
  readonly patterns: readonly NamedUse[];
  readonly byTool: ReadonlyMap<string, readonly NamedUse[]>;
}

const prepared = new WeakMap<Policy, NamedUses>();

/** A list of many tools must not compare each of them with each entry. */
function namedUses(policy: Policy): NamedUses {
  const known = prepared.get(policy);
  if (known !== undefined) return known;
  const made = {
    patterns: policy.uses.filter(({ isPattern }) => isPattern),
    byTool: groupBy(
      policy.uses.filter(({ isPattern }) => !isPattern),
      ({ tool }) => tool,
    ),
  };
  prepared.set(policy, made);
  return made;
}

/** The rules about arguments whose conditions on the tool hold. */
function rulesFor(policy: Policy, primitive: Readable): readonly RuleArgument[] {
  const data = { primitive };
  return policy.rules.flatMap(({ kinds, argument }) => {
    if (argument === undefined || !kinds.includes('tools')) return [];
    return argument.within.every((evaluate) => isTruthy(evaluate(data, []))) ? [argument] : [];
  });
}

function policyArgument(
  argument: DeclaredArgument,
  named: readonly NamedUse[],
  all: readonly RuleArgument[],
  binds: readonly Bind[],
  shared: { readonly groups: ArgumentGroups; readonly isMapped: () => boolean } | undefined,
): PolicyArgument {
  const own = named.filter(({ matchesArgument }) => matchesArgument(argument.name));
  const rules = all.filter(({ name }) => name === argument.name);
  const bound = binds.filter((each) => each.argument === argument.name);
  const given = own.filter(({ value }) => value === undefined);
  const valued = own.filter((each): each is ValuedUse => each.value !== undefined);
  const isAboutValues = valued.length + rules.length + bound.length > 0;
  const isUndecidable =
    (argument.domain.type === 'other' && isAboutValues) ||
    (argument.domain.type === 'text' &&
      valued.some((each) => isWildcard(each) && prefixOf(each) === undefined));
  const { name, domain, isRequired, byDefault } = argument;
  // An entry names one tool.
  const isOwn = rules.length + bound.length > 0 || own.some(({ isPattern }) => !isPattern);
  const group =
    isOwn || shared === undefined
      ? undefined
      : getOrMake(shared.groups, textOf(argument, own, shared.isMapped()), () => ({}));
  // Written out: a spread takes a quarter of the time of binding a list.
  return { name, domain, isRequired, byDefault, given, valued, rules, bound, isUndecidable, group };
}

/** @returns a text that only arguments have about which patterns decide the same */
function textOf(
  { domain, isRequired, byDefault }: DeclaredArgument,
  own: readonly NamedUse[],
  isMapped: boolean,
): string {
  const patterns = own.map(({ name }) => name).join('\n');
  const left = byDefault === undefined ? '' : JSON.stringify(byDefault);
  return `${isRequired} ${isMapped} ${left} ${domainText(domain)} ${patterns}`;
}

/** @returns a text that only equal domains have */
function domainText(domain: Domain): string {
  if (domain.type === 'closed') return JSON.stringify(domain.values);
  if (domain.type === 'other') return 'other';
  if (domain.type === 'text') return `text ${domain.isNullable}`;
  const { isInteger, isNullable, min, max, isMinOut, isMaxOut } = domain;
  return `${isInteger} ${isNullable} ${min} ${max} ${isMinOut} ${isMaxOut}`;
}

/** Servers ignore case in names, and read arguments that they do not declare. */
function namesOf(named: readonly NamedUse[], others: readonly string[]): ToolUses['names'] {
  const folded = new Set([...named.map(({ argument }) => argument), ...others].map(fold));
  const patterns = named.filter(({ isPattern, argument }) => isPattern && /[^*]/.test(argument));
  return (name) =>
    folded.has(fold(name)) || patterns.some(({ argument }) => compileGlob(fold(argument))(fold(name)));
}

const fold = (name: string): string => name.toLowerCase();

/** A part of a policy about several values. `*` alone is about all of them, also about none. */
export const isWildcard = ({ isPattern, value }: ValuedUse): boolean =>
  isPattern && value.includes('*') && value !== '*';

/** @returns the prefix that a pattern of texts is about; `undefined` if it is not a prefix */
export const prefixOf = ({ value }: ValuedUse): string | undefined =>
  value.length > 1 && value.indexOf('*') === value.length - 1 ? value.slice(0, -1) : undefined;

/**
 * What may follow a prefix: words with single dots and slashes. No "..", no "//", no escape, no blank, so a server that reads a
 * path or an address finds nothing else in it. JSON Schema says the same with `pattern`.
 */
export const PLAIN = '(?:[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*)?';
const IS_PLAIN = new RegExp(`^${PLAIN}$`);

function matches(domain: Domain, use: ValuedUse, value: Scalar | undefined): boolean {
  const text = value === undefined ? '' : String(value);
  if (use.isPattern && use.value === '*') return true;
  if (!isWildcard(use)) return use.value === text;
  if (domain.type === 'closed') return compileGlob(use.value)(text);
  const prefix = prefixOf(use);
  return (
    typeof value === 'string' &&
    prefix !== undefined &&
    value.startsWith(prefix) &&
    IS_PLAIN.test(value.slice(prefix.length))
  );
}

const ANY_VALUE = Symbol('any value');

const mappings = new WeakMap<PolicyArgument, Map<Scalar | undefined | typeof ANY_VALUE, Mapping>>();
/** Callers choose values, and texts of any length. */
const MAX_REMEMBERED = { values: 1000, length: 256 };

/**
 * Returns what the policy says about a use, in all parts that must be shown: about one value of an argument, and about any value.
 *
 * @param value what the calls send; `undefined` if they leave the argument out
 */
export function mappingsOf(
  uses: ToolUses,
  argument: PolicyArgument,
  value: Scalar | undefined,
): readonly [Mapping, ...Mapping[]] {
  const own = remembered(uses, argument, value);
  return value === undefined || argument.given.length === 0
    ? [own]
    : [own, remembered(uses, argument, ANY_VALUE)];
}

function remembered(
  uses: ToolUses,
  argument: PolicyArgument,
  value: Scalar | undefined | typeof ANY_VALUE,
): Mapping {
  const known = mappings.get(argument) ?? new Map();
  mappings.set(argument, known);
  const found = known.get(value);
  if (found !== undefined) return found;
  const made = makeMapping(uses, argument, value);
  const isShort = typeof value !== 'string' || value.length <= MAX_REMEMBERED.length;
  if (isShort && known.size < MAX_REMEMBERED.values) known.set(value, made);
  return made;
}

function makeMapping(
  { policy, data, tool, isMapped }: ToolUses,
  { name, domain, given, valued }: PolicyArgument,
  value: Scalar | undefined | typeof ANY_VALUE,
): Mapping {
  const all = value === ANY_VALUE ? given : valued;
  const parts = value === ANY_VALUE ? given : valued.filter((each) => matches(domain, each, value));
  const sent = value === ANY_VALUE || value === undefined ? {} : { [name]: value };
  const offers = collectOffers(policy, {}, parts);
  return {
    kind: 'tools',
    ...offers,
    // Where no name is about the values, only rules are.
    mapped: offers.mapped || all.length === 0 || isMapped(),
    primitive: data,
    slots: policy.slots.fill(data, sent),
    use: value === ANY_VALUE ? `${tool}(${name})` : useName(tool, name, value),
    argument: value === ANY_VALUE ? '' : name,
    arguments: sent,
  };
}

/**
 * Decides about the use of one value.
 *
 * @param value what the call sends; `undefined` if it leaves the argument out
 * @returns the decision, and what the policy says about the use that decides
 */
export function decideUse(
  uses: ToolUses,
  argument: PolicyArgument,
  value: Scalar | undefined,
  configuration: Configuration,
): { readonly decision: IndexedDecision; readonly mapping: Mapping } {
  const own = configurationFor(configuration, 'tools', uses.tool);
  const [mapping, ...more] = mappingsOf(uses, argument, value);
  const decision = decide(mapping, own);
  const [any] = more;
  if (decision.effect === 'hide' || any === undefined) return { decision, mapping };
  const whole = decide(any, own);
  if (whole.effect === 'hide') return { decision: whole, mapping: any };
  const scopes = new Set([...scopesOf(decision), ...scopesOf(whole)]);
  if (scopes.size === 0) return { decision, mapping };
  return { decision: { effect: 'show', reason: { scopes: [...scopes] } }, mapping };
}

/** Returns the scopes that a use takes and the caller lacks. */
export const scopesOf = ({ reason }: IndexedDecision): readonly string[] =>
  typeof reason === 'object' && 'scopes' in reason ? reason.scopes : [];
