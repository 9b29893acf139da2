import { type Policy, preparePolicy } from '../../../src/core/engine/policy.js';
import { parsePolicy } from '../../../src/core/policy/compile/parse.js';
import { PolicyError } from '../../../src/core/policy/language/findings.js';
import type { Random } from '../random.js';
import type { Kind } from '../world.js';
import {
  MAPPED,
  PATTERNS,
  type Part,
  type Plan,
  SLUGS,
  type Slug,
  THINGS,
  type Values,
  wordOf,
} from './world.js';

const VALUES: readonly [Values, ...Values[]] = [{ level: 'low' }, { level: 'high' }, { tier: 'pro' }, {}];
const KINDS: readonly [Kind, ...Kind[]] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const TIER = { values: ['free', 'pro'], 'set-by': 'operator', claim: 'tier' };

export function randomPlan(random: Random): Plan {
  const parts = new Map<Slug, Part>();
  for (const slug of SLUGS)
    if (slug === MAPPED || random.chance(0.8)) parts.set(slug, randomPart(random, slug));
  const entries = new Map<string, Values>();
  for (const { kind, outside } of THINGS)
    if (random.chance(0.05)) entries.set(`${kind} ${outside}`, random.pick(VALUES));
  const rules: Plan['rules'][number][] = [];
  if (random.chance(0.15)) rules.push({ slug: random.pick(SLUGS), kinds: [random.pick(KINDS)] });
  if (random.chance(0.1)) rules.push({ slug: random.pick(SLUGS), kinds: KINDS });
  const { slug, kind, outside } = THINGS[random.below(THINGS.length)] ?? {};
  const isNamed = kind === 'tools' || kind === 'prompts';
  if (slug !== undefined && outside !== undefined && isNamed && random.chance(0.4))
    rules.push({ slug, kinds: [kind], name: outside });
  return {
    mode: random.pick(['enforce', 'enforce', 'advisory']),
    unmapped: random.pick(['show', 'hide']),
    panel: random.pick(['on', 'off']),
    parts,
    entries,
    rules,
  };
}

function randomPart(random: Random, of: Slug): Part {
  const entries = new Map<string, Values>();
  for (const { slug, kind, own } of THINGS)
    if (slug === of && random.chance(0.5)) entries.set(`${kind} ${own}`, random.pick(VALUES));
  const patterns = new Map<string, Values>();
  for (const pattern of Object.keys(PATTERNS))
    if (random.chance(0.2)) patterns.set(pattern, random.pick([{ level: 'low' }, { level: 'high' }]));
  const hides = random.chance(0.3) ? random.pick(['tool-a', 'tool-b', 'two__tool-d']) : undefined;
  return { unmapped: random.pick(['show', 'hide']), entries, patterns, hides };
}

/** Writes a plan as the texts of policies, and composes them. */
export function policyOf(plan: Plan): Policy {
  const servers = SLUGS.map((slug) => {
    const isOwn = plan.parts.has(slug);
    const map = slug === MAPPED && { map: { level: { lo: 'low', hi: 'high' } } };
    return [slug, isOwn ? { policy: `${slug}.yaml`, ...map } : {}] as const;
  });
  const rules = plan.rules.map(({ slug, kinds, name }, index) => {
    const isOf = { '===': [{ var: 'primitive.server' }, slug] };
    const isNamed = { '===': [{ var: 'primitive.name' }, name] };
    return { id: `rule-${index}`, hide: kinds, when: name === undefined ? isOf : { and: [isOf, isNamed] } };
  });
  const { mode, unmapped, panel, entries } = plan;
  const top = {
    version: 1,
    servers: Object.fromEntries(servers),
    concerns: { level: { values: ['low', 'high'] }, tier: TIER, topic: { values: 'servers' } },
    primitives: sections(entries, (values) => values),
    rules,
    settings: { enforcement: mode, unmapped, panel },
  };
  const texts = new Map([['top.yaml', JSON.stringify(top)]]);
  for (const [slug, part] of plan.parts) texts.set(`${slug}.yaml`, partText(slug, part));
  const { compiled, findings, texts: read } = parsePolicy(texts);
  if (compiled === undefined) throw new PolicyError(findings, read);
  return preparePolicy(compiled);
}

function partText(slug: Slug, { unmapped, entries, patterns, hides }: Part): string {
  const inOwnWords = ({ level, ...values }: Values) => ({
    ...values,
    ...(level && { level: wordOf(slug, level) }),
  });
  const byPattern = new Map(
    [...patterns].map(([pattern, values]) => [`${PATTERNS[pattern]} ${pattern}`, values]),
  );
  const when = { '===': [{ var: 'primitive.name' }, hides] };
  return JSON.stringify({
    version: 1,
    concerns: { level: { values: [wordOf(slug, 'low'), wordOf(slug, 'high')] }, tier: TIER },
    primitives: sections(entries, inOwnWords),
    patterns: sections(byPattern, inOwnWords),
    ...(hides === undefined ? {} : { rules: [{ id: 'own', hide: ['tools'], when }] }),
    settings: { unmapped },
  });
}

/** The sections of a policy by kind, from keys of a kind and a name. */
function sections(named: ReadonlyMap<string, Values>, words: (values: Values) => object) {
  const ofKind = (kind: Kind) =>
    Object.fromEntries(
      [...named].flatMap(([key, values]) => {
        const [of, name = ''] = key.split(' ');
        return of === kind ? [[name, words(values)]] : [];
      }),
    );
  return Object.fromEntries(KINDS.map((kind) => [kind, ofKind(kind)]));
}
