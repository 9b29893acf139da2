import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Primitive } from '../../../src/core/engine/mapping.js';
import { type Policy, preparePolicy } from '../../../src/core/engine/policy.js';
import { bindCatalog, decideItem, select } from '../../../src/core/engine/select.js';
import { outsideEntry, outsideName } from '../../../src/core/engine/servers/outside-names.js';
import { remainingOf } from '../../../src/core/engine/uses/remaining.js';
import { decideCall } from '../../../src/core/gate/enforce/calls/call-arguments.js';
import { listedDefinition } from '../../../src/core/gate/enforce/narrow-definitions.js';
import { parsePolicy } from '../../../src/core/policy/compile/parse.js';
import { policyFromText } from '../../policy-text.js';
import {
  Chance,
  EFFECTS,
  type Json,
  type Parts,
  type PolicyDocument,
  randomPolicy,
  randomTool,
  SAMPLES,
  TOOLS,
  type Tool,
} from './generate.js';
import { type Expected, isValid, Oracle, type Situation } from './oracle.js';

/** What was compared, and what differs. */
export interface Comparison {
  readonly lists: number;
  readonly calls: number;
  readonly passed: number;
  readonly narrowed: number;
  readonly exact: number;
  readonly inexact: number;
  readonly hints: number;
  readonly differences: readonly string[];
}

/** A tool as hosts see it, and what one server with its policy says about it. */
interface Case {
  readonly policy: Policy;
  readonly bare: Policy;
  readonly servers: readonly { readonly document: PolicyDocument; readonly tools: readonly Tool[] }[];
  /** The primitives, in the order of the servers. */
  readonly listed: readonly Primitive[];
  readonly names: ReadonlySet<string>;
}

const CONFIGURATIONS = 5;

/**
 * Compares what a policy lists and lets pass with an oracle that tries calls one by one.
 *
 * @param policies how many policies are generated
 * @param seed where the generator begins
 * @param parts what they have
 * @param servers whether two policies are composed
 */
export function compareWithOracle(
  policies: number,
  seed: number,
  parts: Parts,
  servers: 1 | 2 = 1,
): Comparison {
  const chance = new Chance(seed);
  const sum = { lists: 0, calls: 0, passed: 0, narrowed: 0, exact: 0, inexact: 0, hints: 0 };
  const differences: string[] = [];
  for (let made = 0; made < policies; made++) {
    const each = servers === 1 ? singleCase(chance, parts) : composedCase(chance, parts);
    for (let at = 0; at < CONFIGURATIONS; at++)
      compareOnce(chance, each, situationOf(chance, parts), sum, differences);
  }
  return { ...sum, differences };
}

function singleCase(chance: Chance, parts: Parts): Case {
  const tools = TOOLS.map((name) => randomTool(chance, name));
  const document = randomPolicy(chance, parts);
  const [policy, bare] = [document, withoutUses(document)].map((each) =>
    policyFromText(JSON.stringify(each)),
  );
  if (policy === undefined || bare === undefined) throw new Error('no policy');
  return { policy, bare, servers: [{ document, tools }], listed: tools, names: new Set() };
}

const SLUGS = ['one', 'two'] as const;

function composedCase(chance: Chance, parts: Parts): Case {
  const documents = SLUGS.map(() => randomPolicy(chance, parts));
  const [{ concerns } = { concerns: {} }] = documents;
  // The servers share their concerns.
  const servers = documents.map((document) => ({
    tools: TOOLS.map((name) => randomTool(chance, name)),
    document: { ...document, concerns },
  }));
  // One server hides what it does not map, or both do: what is composed has one setting for all.
  const whole = composed(servers.map(({ document }) => document));
  const bare = composed(servers.map(({ document }) => withoutUses(document)));
  const listed = servers.flatMap(({ tools }, index) =>
    tools.map((tool) => outsideEntry(SLUGS[index] ?? '', 'tools', tool) as Primitive),
  );
  return { policy: whole, bare, servers, listed, names: new Set(SLUGS) };
}

function composed(documents: readonly PolicyDocument[]): Policy {
  const [first] = documents;
  const top = {
    version: 1,
    servers: Object.fromEntries(SLUGS.map((slug) => [slug, { policy: `${slug}.yaml` }])),
    // The servers agree on all but the default.
    concerns: first?.concerns,
    settings: { enforcement: 'enforce' },
  };
  const files = SLUGS.map((slug, index) => [`${slug}.yaml`, JSON.stringify(documents[index])] as const);
  const { compiled, findings } = parsePolicy(new Map([['top.yaml', JSON.stringify(top)], ...files]));
  if (compiled === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return preparePolicy(compiled);
}

/** The same policy without what it says about arguments. */
function withoutUses(document: PolicyDocument): PolicyDocument {
  const toolsOnly = (tools: PolicyDocument['primitives']['tools']) =>
    Object.fromEntries(Object.entries(tools).filter(([name]) => !name.includes('(')));
  const { present: _present, bind: _bind, ...rest } = document;
  return {
    ...rest,
    primitives: { tools: toolsOnly(document.primitives.tools) },
    patterns: { tools: toolsOnly(document.patterns.tools) },
    rules: document.rules.filter((rule) => !JSON.stringify(rule).includes('"arguments.')),
  };
}

function situationOf(chance: Chance, parts: Parts): Situation {
  const claims: Json = {
    ...(chance.happens(0.6) ? { project: chance.pick<unknown>(['acme', 'zeta', '7', 7, 'team-a']) } : {}),
    ...(chance.happens(0.6)
      ? { projects: chance.pick<unknown>([['acme'], ['acme', 'zeta'], [], 'acme', ['7', 'b']]) }
      : {}),
    ...(chance.happens(0.5) ? { stage: chance.pick(['dev', 'prod', 'weird']) } : {}),
    ...(chance.happens(0.5) ? { environment: chance.pick<unknown>(['dev', ['dev', 'staging'], 5]) } : {}),
    ...(chance.happens(0.5) ? { limit: chance.pick<unknown>([50, 10.5, '50', [50]]) } : {}),
  };
  const scopes = parts.obtainable ? chance.some(['x:read', 'x:write']) : [];
  return {
    claims,
    scopes,
    effect: chance.happens(0.7) ? chance.pick(EFFECTS) : undefined,
    topic: chance.happens(0.3) ? chance.pick(['a', 'b']) : undefined,
    modelTopic: parts.model && chance.happens(0.4) ? chance.pick(['a', 'b']) : undefined,
    on: chance.happens(0.15) ? [chance.pick(TOOLS)] : [],
    off: chance.happens(0.1) ? [chance.pick(TOOLS)] : [],
  };
}

function compareOnce(
  chance: Chance,
  { policy, bare, servers, listed, names }: Case,
  situation: Situation,
  sum: { -readonly [K in keyof Omit<Comparison, 'differences'>]: number },
  differences: string[],
): void {
  const outside = (tool: string): readonly string[] =>
    names.size === 0 ? [tool] : [...names].map((slug) => outsideName(slug, 'tools', tool));
  const { claims, scopes, effect, topic, modelTopic, on, off } = situation;
  const caller = { claims: new Map(Object.entries({ ...claims, scope: scopes.join(' ') })), scopes };
  const sources = [
    { from: 'model', concerns: { topic: modelTopic } },
    {
      from: 'session',
      concerns: {
        effect,
        topic,
        ...(on.length === 0 ? {} : { '+tools': on.flatMap(outside) }),
        ...(off.length === 0 ? {} : { '-tools': off.flatMap(outside) }),
      },
    },
  ].map(({ from, concerns }) => ({
    from,
    concerns: Object.fromEntries(Object.entries(concerns).filter(([, value]) => value !== undefined)),
  }));
  const resolve = (each: Policy) =>
    resolveConfiguration(each, sources as Parameters<typeof resolveConfiguration>[1], caller);
  const configuration = resolve(policy);
  const bound = bindCatalog(policy, 'tools', listed, names);
  const bareBound = bindCatalog(bare, 'tools', listed, names);
  const selection = select(bound, configuration);
  sum.lists++;
  const tools = servers.flatMap(({ document, tools: own }) => own.map((tool) => ({ document, tool })));
  for (const [position, { document, tool }] of tools.entries()) {
    const oracle = new Oracle(document, tool);
    const isBareShown = decideItem(bareBound, position, resolve(bare)).effect === 'show';
    const item = bound.items[position] ?? {};
    const isListed = selection.kept.includes(item);
    const definition = isListed ? listedDefinition(bound, position, configuration) : undefined;
    const uses = bound.uses[position];
    const left = uses && remainingOf(uses, configuration);
    const isExact = left === undefined || left.parts.every((part) => part.isExact);
    if (isListed) {
      if (isExact) sum.exact++;
      else sum.inexact++;
      if (selection.narrowed.has(item)) sum.narrowed++;
    }
    const name = String(listed[position]?.name);
    let isAnyPossible = false;
    const differs = (what: string, call: unknown): void => {
      if (differences.length < 3)
        differences.push(
          JSON.stringify({ what, call, tool, document, situation, shown: definition?.inputSchema }),
        );
      else differences.push(what);
    };
    for (const call of callsOf(chance, tool, oracle, situation)) {
      sum.calls++;
      const expected: Expected = isBareShown ? oracle.call(call, situation) : { passes: false };
      // The server gets what the gate writes into the call.
      const isTaken = isValid(tool.inputSchema, expected.passes ? expected.args : call);
      const areDeclared = Object.keys(call).every((each) => Object.hasOwn(tool.inputSchema.properties, each));
      if (expected.passes && isTaken) isAnyPossible = true;
      if (definition === undefined) {
        if (expected.passes && isTaken) differs('not listed, but a call passes', call);
        continue;
      }
      const decided = decideCall({ tools: bound, servers: names }, name, call, configuration);
      if (decided === undefined) {
        // The server answers in its own words: nothing that it takes may be hidden.
        if (!expected.passes && isTaken && areDeclared && !isUnsafe(call))
          differs('passed to the server', call);
        if (expected.passes && expected.scopes.length > 0) differs('no scope is asked for', call);
        sum.passed++;
        continue;
      }
      if ((decided.effect === 'pass') !== expected.passes)
        differs(
          `call ${decided.effect} ${'text' in decided ? decided.text : ''} ${JSON.stringify(expected)}`,
          call,
        );
      else if (decided.effect === 'pass' && expected.passes) {
        sum.passed++;
        if ([...decided.scopes].sort().join() !== expected.scopes.join()) differs('scopes', call);
        if (textOf(decided.args) !== textOf(expected.args)) differs('other arguments', call);
      }
      const isInList = isValid(definition.inputSchema as object, call);
      // A bound value that is sent passes, although the list has no such argument.
      const isOwn =
        document.bind === undefined ||
        textOf(call) === textOf(expected.passes ? withoutBound(call, definition) : {});
      if (expected.passes && isTaken && !isInList && isOwn)
        differs('allowed, but not valid by the list', call);
      if (isInList && isExact && !expected.passes && areDeclared && !isUnsafe(call))
        differs('valid by the list, but refused', call);
    }
    if (isListed && !isAnyPossible) differs('listed, but no call passes', undefined);
    const hint = oracle.hint(situation, 'readOnlyHint', true);
    const isHinted = (definition?.annotations as Json | undefined)?.readOnlyHint === true;
    if (names.size === 0 && definition !== undefined && hint !== isHinted) differs('hint', undefined);
    if (isHinted) sum.hints++;
  }
}

/** A call without the arguments that the list does not have. */
const withoutBound = (call: Json, { inputSchema }: Primitive): Json => {
  const { properties = {} } = inputSchema as { properties?: Json };
  return Object.fromEntries(Object.entries(call).filter(([name]) => Object.hasOwn(properties, name)));
};

const textOf = (args: Json): string => JSON.stringify(Object.entries(args).sort());

/** Two integers above 2^53 are one number here, so neither is decided: the one exception that no schema says. */
const isUnsafe = (call: Json): boolean =>
  Object.values(call).some((each) => Number.isInteger(each) && !Number.isSafeInteger(each));

/** Calls with random values, then all that differ in one argument from a call that passes. */
function callsOf(chance: Chance, tool: Tool, oracle: Oracle, situation: Situation): readonly Json[] {
  const names = Object.keys(tool.inputSchema.properties);
  const samples = (name: string): readonly [unknown, ...unknown[]] => {
    const [first, ...rest] = SAMPLES[name] ?? [];
    return [first, ...rest];
  };
  const random = Array.from({ length: 60 }, (): Json => {
    const sent = chance.some(names, 0.85).map((name) => [name, chance.pick(samples(name))]);
    const other = chance.happens(0.08)
      ? [[chance.pick(['Project', 'FORCE', 'extra', 'project', 'toString']), 'acme']]
      : [];
    return Object.fromEntries([...sent, ...other]);
  });
  const base = passingCall(tool, oracle, situation, names, samples);
  if (base === undefined) return random;
  const around = names.flatMap((name) => {
    const { [name]: _left, ...without } = base;
    return [without, ...samples(name).map((value) => ({ ...base, [name]: value }))];
  });
  return [...random, base, ...around];
}

/** Finds a call that passes: arguments do not depend on each other, so each is searched alone. */
function passingCall(
  tool: Tool,
  oracle: Oracle,
  situation: Situation,
  names: readonly string[],
  samples: (name: string) => readonly unknown[],
): Json | undefined {
  const call: Record<string, unknown> = {};
  const { required = [], properties, $defs = {} } = tool.inputSchema;
  for (const name of names) {
    const property = { ...properties[name], $defs };
    const isGood = (value: unknown): boolean =>
      isValid(property, value) && oracle.takes(name, value, situation);
    if (!required.includes(name) && oracle.takes(name, undefined, situation)) continue;
    const found = samples(name).find(isGood);
    if (found === undefined) return undefined;
    call[name] = found;
  }
  return oracle.call(call, situation).passes && isValid(tool.inputSchema, call) ? call : undefined;
}
