import type { CompiledEntry, CompiledPolicy, Policy } from '../src/engine/policy.js';
import { preparePolicy } from '../src/engine/policy.js';

export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties: Record<string, object> };
  readonly annotations: { readonly readOnlyHint: boolean };
}

const SECURITY = ['low', 'medium', 'high'];
const COST = ['minimal', 'moderate', 'high'];
const TEAM = ['docs', 'charts', 'maps', 'code'];

/** Makes tools of the size that real servers list: about 1.3 KB of JSON each. */
export function fixtureTools(count: number): FixtureTool[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `tool_${String(index).padStart(4, '0')}`,
    description: `Does the work number ${index}: reads what it is given, checks it against the rules of its kind, and returns what came of it.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 8 }, (_each, position) => [
          `argument_${position}`,
          {
            type: position % 2 === 0 ? 'string' : 'number',
            description: `What the work takes as its argument number ${position}, in the form that the rest expects.`,
          },
        ]),
      ),
    },
    annotations: { readOnlyHint: index % 3 === 0 },
  }));
}

/** Makes a policy with three concerns and a value of each tool for each concern. */
export function fixturePolicy(tools: readonly { readonly name: string }[]): Policy {
  return preparePolicy(compiledFixture(tools));
}

/** Preferences that keep a quarter of the tools. */
export const FIXTURE_CONCERNS = { security: 'high', cost: 'high', team: 'maps' };

/** Makes the same policy as `fixturePolicy`, in its compiled form. */
export function compiledFixture(tools: readonly { readonly name: string }[]): CompiledPolicy {
  const list = (name: string, values: string[], match: 'exact' | 'at-least' | 'at-most') =>
    ({ name, values, match, multiple: false, setBy: 'host' }) as const;
  const none: CompiledEntry[] = [];
  return {
    format: 1,
    digest: 'fixture',
    files: ['fixture.yaml'],
    concerns: [
      list('security', SECURITY, 'at-most'),
      list('cost', COST, 'at-most'),
      list('team', TEAM, 'exact'),
    ],
    presets: {},
    primitives: {
      tools: tools.map(({ name }, index) => ({
        name,
        file: 0,
        line: index + 10,
        values: {
          security: { is: [SECURITY[index % 3] ?? ''], line: index + 10 },
          cost: { is: [COST[(index >> 2) % 3] ?? ''], line: index + 10 },
          team: { is: [TEAM[index % 4] ?? ''], line: index + 10 },
        },
      })),
      prompts: none,
      resources: none,
      resourceTemplates: none,
    },
    patterns: { tools: none, prompts: none, resources: none, resourceTemplates: none },
    assign: [],
    rules: [],
    settings: {
      unmapped: 'show',
      defaults: 'aware',
      invalid: 'error',
      enforcement: 'advisory',
      transparency: false,
    },
  };
}
