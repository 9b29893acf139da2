import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { decide } from '../../../src/core/engine/evaluate.js';
import {
  mapPrimitive,
  type Policy,
  type Primitive,
  preparePolicy,
  resolveConfiguration,
  type ServerCatalog,
} from '../../../src/core/engine/index.js';
import { KINDS } from '../../../src/core/engine/policy.js';
import { outsideEntry } from '../../../src/core/engine/servers/outside-names.js';
import { parsePolicy } from '../../../src/core/policy/parse.js';

const TOP = `version: 1
servers:
  github: { policy: github.yaml }
  gitlab: { policy: gitlab.yaml, map: { reach: { project: named, group: mine } } }
  browser: { policy: playwright.yaml, map: { reveals: { page: ordinary, credentials: secrets } } }
  everything: { policy: everything.yaml }
  odd: { policy: odd.yaml, concerns: [effect, area, level, tier], map: { effect: { look: read-only, edit: changes } } }
concerns:
  effect: { values: [read-only, changes, destroys], match: at-most }
  reveals: { values: [ordinary, logs, weaknesses, secrets], match: at-most }
  area: { values: servers }
presets:
  look: { effect: read-only, reveals: ordinary }
`;

/** What the shipped policies do not use: rules, other settings, names that are shortened, and values that a server declares. */
const ODD = `version: 1
concerns:
  effect: { values: [look, edit], match: at-most }
  area: { values: [near, far], multiple: true }
  level: { values: { min: 0, max: 9 }, match: at-least }
  tier: { values: [free, pro], set-by: operator, claim: tier, match: at-most, default: free }
  left-out: { values: [a, b] }
primitives:
  tools:
    "a-tool-with-a-name-that-is-longer-than-forty-eight-characters": { effect: edit, level: 3 }
    plain: { effect: look, area: near, left-out: a }
    hidden: {}
    paid: { tier: pro }
  resources: { "odd://one": { effect: edit, area: far } }
  resourceTemplates: { "odd://{id}/more": { area: near } }
patterns:
  tools: { "*-characters": { area: far }, "*-list": { area: any } }
assign:
  - { when: { "===": [{ var: primitive.name }, declared] }, to: { area: near } }
rules:
  - { id: by-name, hide: [tools], when: { "===": [{ var: primitive.name }, hidden] } }
  - { id: by-uri, hide: [resources], when: { "===": [{ var: [primitive.uri, none] }, "odd://two"] } }
  - { id: by-resource-name, hide: [resources], when: { "===": [{ var: primitive.name }, Three] } }
  - { id: by-value, hide: [tools], when: { and: [{ in: [{ var: concerns.effect }, [edit]] }, { "===": [{ var: primitive.name }, plain] }] } }
  - { id: by-left-out, hide: [tools], when: { "!!": { var: concerns.left-out } } }
  - { id: by-missing, hide: [prompts], when: { in: [concerns.level, { missing: [concerns.level] }] } }
  - { id: by-tag, show: [tools], when: { some: [{ var: primitive.tags }, { "===": [{ var: "" }, always] }] } }
settings: { unmapped: hide }
`;

const ODD_CATALOG: ServerCatalog = {
  tools: [
    { name: 'a-tool-with-a-name-that-is-longer-than-forty-eight-characters' },
    { name: 'another-tool-with-a-name-that-is-longer-than-forty-characters' },
    { name: 'an-unmapped-tool-with-a-name-that-is-longer-than-forty-eight' },
    { name: 'plain' },
    { name: 'hidden' },
    { name: 'paid' },
    { name: 'unmapped', tags: ['always'] },
    { name: 'new' },
    { name: 'declared', _meta: { concerns: { effect: 'edit' } } },
    { name: 'declares-a-list', _meta: { concerns: { effect: ['edit'] } } },
  ],
  prompts: [{ name: 'plain' }],
  resources: [
    { uri: 'odd://one', name: 'One' },
    { uri: 'odd://two', name: 'hidden' },
    { uri: 'odd://three', name: 'Three' },
    { uri: 'odd://4/more', name: 'Four' },
  ],
  resourceTemplates: [{ uriTemplate: 'odd://{id}/more', name: 'Template' }],
};

interface Alone {
  readonly slug: string;
  readonly policy: Policy;
  readonly catalog: ServerCatalog;
  /** What its values are called outside, as in `TOP`. */
  outside(concern: string, value: string): string;
}

const textOf = (name: string): string =>
  name === 'odd.yaml' ? ODD : readFileSync(join('policies', name), 'utf8');

function compiled(texts: ReadonlyMap<string, string>): Policy {
  const { compiled: policy, findings } = parsePolicy(texts);
  if (policy === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return preparePolicy(policy);
}

const MAPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'gitlab reach': { project: 'named', group: 'mine' },
  'browser reveals': { page: 'ordinary', credentials: 'secrets' },
  'odd effect': { look: 'read-only', edit: 'changes' },
};

function alone(slug: string, file: string): Alone {
  const catalogFile = join('policies', file.replace('.yaml', '.catalog.json'));
  const catalog: ServerCatalog = existsSync(catalogFile)
    ? JSON.parse(readFileSync(catalogFile, 'utf8'))
    : ODD_CATALOG;
  return {
    slug,
    policy: compiled(new Map([[file, textOf(file)]])),
    catalog,
    outside: (concern, value) =>
      concern === 'area' ? `${slug}.${value}` : (MAPS[`${slug} ${concern}`]?.[value] ?? value),
  };
}

const FILES = {
  github: 'github.yaml',
  gitlab: 'gitlab.yaml',
  browser: 'playwright.yaml',
  everything: 'everything.yaml',
  odd: 'odd.yaml',
};

/**
 * Decides about every primitive of five servers twice, with the policy of its server alone and with all policies as one, for
 * random configurations.
 *
 * @returns how many decisions were compared, and the first that differ
 */
export function compareDecisions(configurations: number, seed: number) {
  const servers = Object.entries(FILES).map(([slug, file]) => alone(slug, file));
  const texts = Object.values(FILES).map((file) => [file, textOf(file)] as const);
  const composed = compiled(new Map([['top.yaml', TOP], ...texts]));
  const different: string[] = [];
  let decisions = 0;
  for (const { concerns, tier } of fc.sample(preferences(composed), { numRuns: configurations, seed })) {
    const caller = { claims: new Map(Object.entries(tier === undefined ? {} : { tier })) };
    const all = resolveConfiguration(composed, [{ from: 'request', concerns }], caller);
    for (const server of servers) {
      const own = ownPreferences(server, concerns);
      if (own === undefined) continue;
      const sources = [{ from: 'request' as const, concerns: own }];
      const one = resolveConfiguration(server.policy, sources, caller);
      if (one.warnings.length + all.warnings.length > 0) throw new Error(JSON.stringify({ concerns, own }));
      for (const kind of KINDS) {
        for (const primitive of server.catalog[kind] ?? []) {
          const outside: Primitive = outsideEntry(server.slug, kind, primitive);
          const before = decide(mapPrimitive(server.policy, kind, primitive), one).effect;
          const after = decide(mapPrimitive(composed, kind, outside), all).effect;
          decisions++;
          if (before === after || different.length > 9) continue;
          const name = primitive.uri ?? primitive.uriTemplate ?? primitive.name;
          different.push(`${server.slug} ${name}: ${before}, then ${after} for ${JSON.stringify(concerns)}`);
        }
      }
    }
  }
  return { decisions, different };
}

/** Random preferences in the words of the policy of all servers. */
function preferences({ concerns }: Policy) {
  const values = concerns.map(({ name, values: all, multiple, setBy }) => {
    if (setBy === 'operator') return fc.constant([]);
    const one: fc.Arbitrary<string | number> =
      'min' in all ? fc.integer({ min: all.min, max: all.max }) : fc.constantFrom(...all);
    const value: fc.Arbitrary<unknown> = multiple ? fc.uniqueArray(one, { minLength: 1, maxLength: 4 }) : one;
    return fc.option(value, { nil: undefined }).map((each) => (each === undefined ? [] : [[name, each]]));
  });
  return fc.record({
    concerns: fc.tuple(...values).map((all) => Object.fromEntries(all.flat())),
    tier: fc.constantFrom(undefined, 'free', 'pro'),
  });
}

/**
 * The same preferences in the words of one policy.
 *
 * @returns `undefined` if it has no words for them: it has no value that is as small, or none of those that were chosen
 */
function ownPreferences(
  { slug, policy, outside }: Alone,
  concerns: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const own: Record<string, unknown> = {};
  const areas = [concerns.area ?? []].flat().map(String);
  if (areas.length > 0 && !areas.some((area) => area.split('.')[0] === slug)) return undefined;
  for (const { name, values, match, multiple, setBy } of policy.concerns) {
    const given = concerns[name];
    if (given === undefined || setBy === 'operator' || (slug === 'odd' && name === 'left-out')) continue;
    if ('min' in values) {
      own[name] = given;
      continue;
    }
    if (name === 'area') {
      if (areas.includes(slug)) continue;
      const found = values.filter((value) => areas.includes(outside(name, value)));
      if (found.length === 0) return undefined;
      own[name] = found;
      continue;
    }
    const scale = SCALES[name] ?? values;
    if (match !== 'at-most') {
      const found = [given].flat().filter((each) => values.includes(String(each)));
      if (found.length === 0) return undefined;
      own[name] = multiple ? found : found[0];
      continue;
    }
    const found = values.filter(
      (value) => scale.indexOf(outside(name, value)) <= scale.indexOf(String(given)),
    );
    if (found.length === 0) return undefined;
    own[name] = found.at(-1);
  }
  // Defaults apply only to a host that sets something.
  const isAware = Object.keys(concerns).length > 0;
  return isAware && Object.keys(own).length === 0 ? undefined : own;
}

const SCALES: Readonly<Record<string, readonly string[]>> = {
  effect: ['read-only', 'changes', 'destroys'],
  reveals: ['ordinary', 'logs', 'weaknesses', 'secrets'],
  reach: ['named', 'mine', 'everywhere'],
};
