import type { CompiledEntry, CompiledPolicy, Policy } from '../src/core/engine/policy.js';
import { preparePolicy } from '../src/core/engine/policy.js';

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
    description: `Runs job number ${index}: reads the given records, checks them against the rules of their kind, and returns the results.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 8 }, (_each, position) => [
          `argument_${position}`,
          {
            type: position % 2 === 0 ? 'string' : 'number',
            description: `The argument number ${position} of the job, in the format that the other arguments expect.`,
          },
        ]),
      ),
    },
    annotations: { readOnlyHint: index % 3 === 0 },
  }));
}

/** Makes a policy with three concerns, in which each tool has a value for each concern. */
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
