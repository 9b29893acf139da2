import { type PreferenceSource, resolveConfiguration } from '../src/core/engine/configuration.js';
import type { CompiledPolicy, CompiledRulePart, Concern } from '../src/core/engine/policy.js';
import { preparePolicy } from '../src/core/engine/policy.js';
import { bindCatalog, select } from '../src/core/engine/select.js';
import { compiledFixture, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

const path = (name: string) => ({ var: name });
const equal = (name: string, value: unknown) => ({ '===': [path(name), value] });
const hint = (name: string, absent: boolean) => ({ var: [`primitive.annotations.${name}`, absent] });
const tagged = (tag: string) => ({ in: [tag, path('primitive.tags')] });
const set = (name: string) => ({ '!!': path(name) });
const not = (logic: unknown) => ({ '!': logic });

const environment = 'concerns.environment';
const budget = 'concerns.budget';

/**
 * Twenty rules of the kinds that operators write. They read annotations, tags, names, preferences, claims and client
 * capabilities.
 */
const RULES: readonly (readonly ['hide' | 'show', unknown])[] = [
  [
    'hide',
    {
      and: [
        equal(environment, 'production'),
        { '===': [hint('destructiveHint', true), true] },
        not(hint('readOnlyHint', false)),
      ],
    },
  ],
  ['hide', { and: [equal(environment, 'production'), tagged('beta')] }],
  [
    'hide',
    { and: [set(environment), { '!==': [path(environment), 'development'] }, tagged('experimental')] },
  ],
  ['hide', { and: [set(budget), { '<': [path(budget), path('primitive.annotations.price')] }] }],
  ['hide', { and: [tagged('admin'), not({ in: ['admin', path('claims.groups')] })] }],
  ['hide', { and: [equal('claims.blocked', true), { '===': [hint('openWorldHint', true), true] }] }],
  ['hide', { and: [tagged('sampling'), not(path('client.capabilities.sampling'))] }],
  ['hide', { and: [tagged('asks'), not(path('client.capabilities.elicitation'))] }],
  ['hide', { and: [equal('concerns.tier', 'free'), tagged('paid')] }],
  [
    'hide',
    { in: [path('primitive.name'), ['tool_0001', 'tool_0018', 'tool_0400', 'tool_0777', 'tool_0901']] },
  ],
  ['show', { and: [{ in: [path('claims.role'), ['operator', 'lead']] }, tagged('emergency')] }],
  ['show', { and: [equal(environment, 'development'), tagged('debug')] }],
  ['hide', { and: [{ missing: ['claims.department'] }, tagged('internal')] }],
  ['hide', { and: [equal('claims.region', 'eu'), tagged('us-only')] }],
  [
    'hide',
    {
      and: [
        { some: [path('claims.groups'), equal('', 'trainee')] },
        { '!==': [hint('readOnlyHint', false), true] },
      ],
    },
  ],
  [
    'hide',
    {
      and: [
        equal('concerns.security', 'high'),
        hint('openWorldHint', true),
        not(hint('idempotentHint', false)),
      ],
    },
  ],
  ['hide', { if: [path('claims.guest'), not(hint('readOnlyHint', false)), false] }],
  [
    'hide',
    {
      and: [
        set(budget),
        { '<=': [path(budget), 0] },
        { '>': [{ var: ['primitive.annotations.price', 0] }, 0] },
      ],
    },
  ],
  [
    'hide',
    {
      and: [
        equal('concerns.team', 'charts'),
        { none: [path('primitive.tags'), { in: [path(''), ['charts', 'shared']] }] },
      ],
    },
  ],
  [
    'hide',
    {
      or: [
        { and: [tagged('legacy'), not(tagged('kept'))] },
        { and: [tagged('retired'), equal('primitive.kind', 'tools')] },
      ],
    },
  ],
];

const TAGS = [
  'beta',
  'experimental',
  'admin',
  'sampling',
  'asks',
  'paid',
  'emergency',
  'debug',
  'internal',
  'legacy',
];

const extra: readonly Concern[] = [
  {
    name: 'environment',
    values: ['development', 'production'],
    match: 'exact',
    multiple: false,
    setBy: 'host',
  },
  { name: 'budget', values: { min: 0, max: 500 }, match: 'at-most', multiple: false, setBy: 'host' },
  {
    name: 'tier',
    values: ['free', 'pro'],
    match: 'exact',
    multiple: false,
    setBy: 'operator',
    claim: 'tier',
    default: 'free',
  },
];

/** The fixture's tools, with the hints, tags and prices that the rules read. */
const ruleTools = () =>
  fixtureTools(1000).map((tool, index) => ({
    ...tool,
    annotations: {
      readOnlyHint: index % 3 !== 0,
      destructiveHint: index % 7 === 0,
      openWorldHint: index % 2 === 0,
      price: index % 5,
    },
    _meta: { tags: index % 4 === 0 ? [TAGS[(index >> 2) % TAGS.length], 'shared'] : ['shared'] },
  }));

function compiledRules(tools: readonly { readonly name: string }[]): CompiledPolicy {
  const fixture = compiledFixture(tools);
  const rules = RULES.map(
    ([effect, when], index): CompiledRulePart => ({
      id: `rule-${index + 1}`,
      effect,
      kinds: ['tools'],
      when,
      file: 0,
      line: index + 2000,
    }),
  );
  return { ...fixture, concerns: [...fixture.concerns, ...extra], rules };
}

/** Compares twenty rules over 1000 primitives with JSON.stringify of the selected primitives. */
export async function ruleRatios(): Promise<Ratio[]> {
  // As a client's message or a server's answer is parsed: objects of one shape.
  const tools: ReturnType<typeof ruleTools> = JSON.parse(JSON.stringify(ruleTools()));
  const policy = preparePolicy(compiledRules(tools));
  const concerns = { security: 'medium', cost: 'high', environment: 'production', budget: 4 };
  const sources: readonly PreferenceSource[] = [{ from: 'request', concerns }];
  const caller = {
    claims: new Map<string, unknown>([
      ['groups', ['staff', 'trainee']],
      ['role', 'analyst'],
      ['region', 'eu'],
    ]),
    capabilities: { roots: {}, elicitation: {} },
  };
  const configure = () => resolveConfiguration(policy, sources, caller);
  const catalog = bindCatalog(policy, 'tools', tools);
  const { kept } = select(catalog, configure());
  if (Math.abs(kept.length - 250) > 25)
    throw new Error(`The rules keep ${kept.length} of 1000 tools, which is not a quarter.`);

  const stringify = { work: () => JSON.stringify(kept) };
  const size = `20 rules x 1000 primitives (${catalog.classes.length} classes), ${kept.length} kept`;
  return [
    await ratio(
      `${size}, new configuration / JSON.stringify of the selection`,
      1.2,
      {
        work: () => {
          catalog.memo.clear();
          return select(catalog, configure());
        },
        repeat: 5,
      },
      stringify,
    ),
    await ratio(
      'the same, including binding the list to the policy / JSON.stringify of the selection',
      1,
      { work: () => select(bindCatalog(policy, 'tools', tools), configure()) },
      stringify,
      60,
      7.2,
    ),
  ];
}
