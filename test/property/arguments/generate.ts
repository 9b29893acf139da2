/** A number generator with a seed, so that each failure can be repeated. */
export class Chance {
  constructor(private seed: number) {}

  private next(): number {
    this.seed = (this.seed * 1664525 + 1013904223) % 4294967296;
    return this.seed / 4294967296;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  some<T>(list: readonly T[], probability = 0.5): T[] {
    return list.filter(() => this.happens(probability));
  }
}

export type Json = { readonly [name: string]: unknown };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: { readonly [name: string]: Json };
    readonly required?: readonly string[];
    readonly $defs?: { readonly [name: string]: Json };
    readonly additionalProperties?: false;
  };
}

/** The names are those of what servers have: values that look like members of objects, and in other letters. */
const ACTIONS = [
  'list',
  'get',
  'get_all',
  'create',
  'delete',
  'delete_all',
  'Delete',
  'constructor',
  '__proto__',
  '',
];
const ENVIRONMENTS = ['production', 'staging', 'dev'];
export const ARGUMENTS = ['action', 'environment', 'project', 'amount', 'force', 'note'] as const;
export const EFFECTS = ['read', 'change', 'destroy'] as const;
export const TOOLS = ['t1', 't2', 'u3'] as const;

/** What calls send: valid values, values in other letters, of other types, and numbers at all bounds. */
export const SAMPLES: { readonly [argument: string]: readonly unknown[] } = {
  // Each value that a list can leave is tried: a list is wrong if no call of it passes.
  action: [...ACTIONS, 'x0', 'x1', 'LIST', 'list ', 1, 2, 2.5, '1', null, true, ['list'], { a: 1 }],
  environment: [
    ...ENVIRONMENTS,
    ...['test', 'Production', 'team-', 'team-a', 'team-a/../b', 'other', '', null, 5, '5'],
  ],
  project: [
    ...[
      'acme',
      'ACME',
      'acme ',
      'acme/',
      'acme/x',
      'acme/../x',
      'acme//x',
      'acme/%2e',
      'team-',
      'team-a',
      'team-a.b',
    ],
    ...['zeta', 'b', '', 7, 8, '7', 7.5, null, ['acme']],
  ],
  amount: [
    ...[
      -6, -5, 0, 0.5, 1, 10, 10.5, 49, 50, 50.5, 55, 55.5, 55.6, 56, 59, 60, 61, 99, 100, 100.5, 101, 200,
      201,
    ],
    ...['50', null, 1e300, 2 ** 53],
  ],
  force: [true, false, 'true', 0, null],
  note: ['hello', 'x', '', 4, null],
};

export function randomTool(chance: Chance, name: string): Tool {
  const $defs: Record<string, Json> = {};
  const declared = chance.some(ARGUMENTS, 0.6).map((each) => [each, property(chance, each, $defs)] as const);
  const names = declared.map(([each]) => each);
  return {
    name,
    description: name,
    inputSchema: {
      type: 'object',
      ...(Object.keys($defs).length === 0 ? {} : { $defs }),
      properties: Object.fromEntries(declared),
      ...(chance.happens(0.8) ? { required: chance.some(names, 0.4) } : {}),
      ...(chance.happens(0.3) ? { additionalProperties: false } : {}),
    },
  };
}

function property(chance: Chance, name: (typeof ARGUMENTS)[number], $defs: Record<string, Json>): Json {
  switch (name) {
    case 'action':
      return actions(chance, $defs);
    case 'environment':
      if (chance.happens(0.5)) return { type: 'string', enum: [...chance.some(ENVIRONMENTS, 0.8), 'test'] };
      return {
        type: chance.happens(0.2) ? ['string', 'null'] : 'string',
        ...(chance.happens(0.2) ? { default: 'production' } : {}),
      };
    case 'project':
      if (chance.happens(0.15)) return { type: 'integer' };
      if (chance.happens(0.1)) return { type: 'array', items: { type: 'string' } };
      return { type: 'string', ...(chance.happens(0.1) ? { pattern: '^[a-z]+$' } : {}) };
    case 'amount':
      return {
        type: chance.pick<unknown>(['integer', 'number', 'number', ['number', 'null']]),
        ...(chance.happens(0.4) ? { minimum: chance.pick([0, 1, 50, -5]) } : {}),
        ...(chance.happens(0.4) ? { maximum: chance.pick([100, 200, 60]) } : {}),
        ...(chance.happens(0.2) ? { exclusiveMinimum: 0 } : {}),
      };
    case 'force':
      return { type: 'boolean', ...(chance.happens(0.3) ? { default: chance.happens(0.5) } : {}) };
    case 'note':
      return { type: 'string' };
  }
}

function actions(chance: Chance, $defs: Record<string, Json>): Json {
  const values = chance.some(ACTIONS).slice(0, 5);
  while (values.length < 2) values.push(`x${values.length}`);
  const [first = '', ...others] = values;
  const byDefault = chance.happens(0.2) ? { default: chance.pick([first, ...others]) } : {};
  switch (chance.below(6)) {
    case 0:
      return { oneOf: values.map((value) => ({ const: value, title: value })), ...byDefault };
    case 1:
      $defs.Action = { type: 'string', enum: values };
      return { $ref: '#/$defs/Action', ...byDefault };
    case 2:
      return { anyOf: [{ type: 'string', enum: values }, { type: 'null' }], default: null };
    case 3:
      return { type: 'integer', enum: [1, 2, 3] };
    default:
      return { type: 'string', enum: values, ...byDefault };
  }
}

type Values = Record<string, string | readonly string[]>;

export interface Rule {
  readonly id: string;
  readonly hide?: readonly ['tools'];
  readonly show?: readonly ['tools'];
  readonly when: Json;
}

export interface PolicyDocument {
  readonly version: 1;
  readonly concerns: { readonly [name: string]: Json };
  readonly primitives: { readonly tools: { [name: string]: Values } };
  readonly patterns: { readonly tools: { [name: string]: Values } };
  readonly rules: readonly Rule[];
  readonly bind?: { readonly [argument: string]: unknown };
  readonly present?: { readonly tools: { readonly [name: string]: Json } };
  readonly settings: { readonly [name: string]: string };
}

/** What generated policies have beside names of uses. */
export interface Parts {
  readonly rules: boolean;
  readonly obtainable: boolean;
  readonly model: boolean;
  readonly bind: boolean;
}

export function randomPolicy(chance: Chance, parts: Parts): PolicyDocument {
  const values = (): Values => ({
    ...(chance.happens(0.7) ? { effect: chance.pick(EFFECTS) } : {}),
    ...(chance.happens(0.2) ? { stage: chance.pick(['dev', 'prod']) } : {}),
    ...(chance.happens(0.2)
      ? { topic: chance.pick<string | readonly string[]>([['a', 'b'], 'a', 'b', 'a', 'b']) }
      : {}),
    ...(chance.happens(0.05) ? { effect: 'any' } : {}),
    ...(parts.obtainable && chance.happens(0.3) ? { reach: chance.pick(['x:read', 'x:write']) } : {}),
  });
  const primitives: Record<string, Values> = {};
  const patterns: Record<string, Values> = {};
  for (const tool of TOOLS)
    if (chance.happens(0.6)) primitives[tool] = chance.happens(0.5) ? {} : { effect: chance.pick(EFFECTS) };
  for (let left = 1 + chance.below(9); left > 0; left--) {
    const name = randomUse(chance);
    (name.includes('*') ? patterns : primitives)[name] = values();
  }
  const rules: Rule[] = [];
  if (parts.rules)
    for (let left = chance.below(3); left > 0; left--)
      rules.push({ id: `h${left}`, hide: ['tools'], when: chance.pick(CONDITIONS) });
  if (chance.happens(0.3))
    rules.push({
      id: 's',
      show: ['tools'],
      when: chance.pick<Json>([
        { '===': [{ var: 'claims.stage' }, 'prod'] },
        { '===': [{ var: 'primitive.name' }, 't2'] },
      ]),
    });
  const bind = {
    ...(chance.happens(0.7)
      ? {
          [chance.pick(['project', 't*(project)'])]: chance.pick<unknown>([
            { var: 'claims.project' },
            { var: 'claims.projects' },
            'acme',
          ]),
        }
      : {}),
    ...(chance.happens(0.2) ? { environment: { var: 'claims.environment' } } : {}),
    ...(chance.happens(0.1) ? { '*(project)': { var: 'claims.projects' } } : {}),
  };
  const hints = chance
    .some(ACTIONS, 0.8)
    .flatMap((action) => [
      [`t1(action=${action})`, { annotations: { readOnlyHint: true } }] as const,
      [`t2(action=${action})`, { annotations: { destructiveHint: false } }] as const,
    ]);
  return {
    version: 1,
    concerns: {
      effect: { values: EFFECTS, match: 'at-most' },
      stage: {
        values: ['dev', 'prod'],
        'set-by': 'operator',
        claim: 'stage',
        ...(chance.happens(0.5) ? { default: 'dev' } : {}),
      },
      topic: { values: ['a', 'b'], ...(parts.model ? { model: 'narrow' } : {}) },
      ...(parts.obtainable
        ? {
            reach: {
              ...{ values: ['x:read', 'x:write'], multiple: true, 'set-by': 'operator' },
              ...{ claim: 'scope', obtainable: true },
            },
          }
        : {}),
    },
    primitives: { tools: primitives },
    patterns: { tools: patterns },
    rules,
    ...(parts.bind && Object.keys(bind).length > 0 ? { bind } : {}),
    ...(hints.length === 0 ? {} : { present: { tools: Object.fromEntries(hints) } }),
    settings: { unmapped: chance.pick(['show', 'show', 'hide']), enforcement: 'enforce' },
  };
}

const VALUES: { readonly [argument: string]: readonly [string, ...string[]] } = {
  action: ['list', 'get*', 'delete*', '*', 'create', '1', '', 'null', '__proto__', '*_all', 'constructor'],
  environment: ['production', 'staging', '*', '', 'team-*', '*-a'],
  project: ['acme', '*', '', 'acme/*', 'acme*', 'team-*', '7'],
  amount: ['50', '*', '', '5*'],
  force: ['true', 'false', '*', ''],
  note: ['hello', '*'],
};

function randomUse(chance: Chance): string {
  const tool = chance.pick([...TOOLS, '*', 't*']);
  const argument = chance.pick(['action', ...ARGUMENTS]);
  if (chance.happens(0.2)) return `${tool}(${chance.happens(0.1) ? '*' : argument})`;
  return `${tool}(${argument}=${chance.pick(VALUES[argument] ?? ['*'])})`;
}

const read = (argument: string): Json => ({ var: `arguments.${argument}` });
const isFirst: Json = { '===': [{ var: 'primitive.name' }, 't1'] };

const CONDITIONS: readonly [Json, ...Json[]] = [
  { '===': [read('environment'), 'production'] },
  { '!': { in: [read('environment'), ['staging', 'dev']] } },
  { '!': { '===': [read('project'), { var: 'claims.project' }] } },
  { '!': { in: [read('project'), { var: 'claims.projects' }] } },
  { '>': [read('amount'), 100] },
  { '!': { '<=': [read('amount'), 55.5] } },
  { and: [{ '>=': [read('amount'), 50] }, { '!': { '===': [{ var: 'claims.stage' }, 'prod'] } }] },
  { '>': [read('amount'), { var: 'claims.limit' }] },
  { '===': [read('force'), true] },
  { '!': { '<': [10, read('amount'), 60] } },
  { in: [read('action'), ['delete', 'delete_all', 2]] },
  { '!==': [read('action'), 'list'] },
  { and: [{ '===': [read('environment'), 'production'] }, isFirst] },
  { or: [{ '===': [read('project'), 'acme'] }, { '===': [read('project'), { var: 'concerns.topic' }] }] },
];
