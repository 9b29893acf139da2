import { specTypeSchemas } from '@modelcontextprotocol/client';
import {
  PromptSchema,
  ResourceSchema,
  ResourceTemplateSchema,
  TaskSchema,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { NamedKind } from '../../src/core/engine/servers/outside-names.js';
import { misfitOf } from '../../src/core/wire/definition.js';
import { Random } from '../fuzz/random.js';

const V1 = {
  tools: ToolSchema,
  prompts: PromptSchema,
  resources: ResourceSchema,
  resourceTemplates: ResourceTemplateSchema,
  tasks: TaskSchema,
};
const V2 = {
  tools: specTypeSchemas.Tool,
  prompts: specTypeSchemas.Prompt,
  resources: specTypeSchemas.Resource,
  resourceTemplates: specTypeSchemas.ResourceTemplate,
  tasks: specTypeSchemas.Task,
};
const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates', 'tasks'] as const;

const icons = [{ src: 'https://a.example/b.png', mimeType: 'image/png', sizes: ['1x1'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' };
/** One entry of each kind with every member that the protocol has. */
const WHOLE: Readonly<Record<NamedKind, object>> = {
  tools: {
    name: 'a',
    title: 't',
    description: 'd',
    inputSchema: { type: 'object', properties: { p: { type: 'string', enum: ['a'] } }, required: ['p'] },
    outputSchema: { type: 'object' },
    annotations: {
      title: 'x',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    execution: { taskSupport: 'optional' },
    icons,
    _meta: { a: 1 },
  },
  prompts: {
    name: 'a',
    title: 't',
    description: 'd',
    arguments: [{ name: 'x', description: 'd', required: true }],
    icons,
    _meta: {},
  },
  resources: {
    uri: 'a://b',
    name: 'a',
    title: 't',
    description: 'd',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    icons,
    _meta: {},
  },
  resourceTemplates: {
    uriTemplate: 'a://{b}',
    name: 'a',
    title: 't',
    description: 'd',
    mimeType: 'text/plain',
    annotations,
    icons,
    _meta: {},
  },
  tasks: {
    taskId: 't',
    status: 'working',
    ttl: null,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    pollInterval: 5,
    statusMessage: 's',
  },
};
const ODD = [
  null,
  7,
  'x',
  '',
  true,
  [],
  {},
  [null],
  [7],
  { a: null },
  ['x'],
  -1,
  1e9,
  // What JSON.parse makes of 1e999.
  Number.POSITIVE_INFINITY,
  'object',
  ['object'],
] as const;

/** Removes, adds or replaces a member somewhere. */
function mutated(value: object, random: Random): object {
  const copy = structuredClone(value);
  for (let at: Record<string, unknown> = { ...copy }, root = at; ; ) {
    const [first, ...others] = Object.keys(at);
    if (first === undefined) return root;
    const key = random.pick([first, ...others]);
    const inner = at[key];
    if (typeof inner === 'object' && inner !== null && random.chance(0.66)) {
      at = inner as Record<string, unknown>;
      continue;
    }
    const roll = random.below(4);
    if (roll === 0) delete at[key];
    else at[roll === 1 ? `more${random.below(3)}` : key] = random.pick(ODD);
    return root;
  }
}

describe('a definition', () => {
  it('is refused where clients of both SDKs refuse it, in 20,000 mutations', () => {
    const random = new Random(1);
    const differs: string[] = [];
    let refused = 0;
    for (let index = 0; index < 20_000; index++) {
      const kind = random.pick(KINDS);
      const once = mutated(WHOLE[kind], random);
      const entry: unknown = random.chance(0.3) ? mutated(once, random) : once;
      const misfit = misfitOf(kind, entry);
      if (misfit !== undefined) refused++;
      const sent: unknown = JSON.parse(JSON.stringify(entry));
      const accepted = { v1: V1[kind].safeParse(sent).success, v2: isValid(V2[kind], sent) };
      const isFit = misfit === undefined;
      // One that a client of either version refuses costs that client the list.
      if (isFit !== (accepted.v1 && accepted.v2))
        differs.push(`${kind}${misfit} ${JSON.stringify(accepted)} ${JSON.stringify(entry)}`);
    }
    expect(differs.slice(0, 5)).toEqual([]);
    expect(refused).toBeGreaterThan(5000);
  });

  it('is named by where it is wrong', () => {
    expect(misfitOf('tools', { name: 'a', inputSchema: {} })).toBe('/inputSchema/type');
    expect(misfitOf('tools', { name: 'a', inputSchema: { type: 'object', properties: { 'a/b~': 1 } } })).toBe(
      '/inputSchema/properties/a~1b~0',
    );
    expect(misfitOf('prompts', { name: 'a', arguments: [{ name: 'x' }, {}] })).toBe('/arguments/1/name');
    expect(misfitOf('resources', 'a')).toBe('');
    expect(misfitOf('resources', { uri: 'a:b', name: 'a' })).toBeUndefined();
  });
});

interface StandardSchema {
  readonly '~standard': { readonly validate: (value: unknown) => unknown };
}

function isValid(schema: StandardSchema, value: unknown): boolean {
  const result = schema['~standard'].validate(value);
  if (typeof result !== 'object' || result === null || result instanceof Promise)
    throw new Error('The schema validates later.');
  return !('issues' in result) || result.issues === undefined;
}
