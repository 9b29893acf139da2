import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/core/engine/policy.js';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { inputSchemaFor } from '../../../src/core/gate/lists/model-parameters.js';
import { ownListOnly, withOwnEntries } from '../../../src/core/gate/lists/own-entries.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { APPS, exchangeOf, modern } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  security: { values: [low, high], description: How safe it is }
  budget: { values: { min: 0, max: 9 } }
  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
presets: { safe: { security: high }, cheap: { budget: 1 } }
`;
const OPEN = POLICY.replace('values: [low', 'model: free, values: [low')
  .replace('values: { min', 'model: narrow, values: { min')
  .replace('values: [free', 'values: [free');
const policyWith = (settings: string, text = POLICY) => policyOf(`${text}settings: { ${settings} }\n`);
const ON = policyWith('panel: on');
const READ_ONLY = policyWith('panel: read-only');
const OFF = policyWith('panel: off');
const FOR_MODELS = policyWith('panel: on', OPEN);

const NOT_FOUND = { code: -32601, message: 'Method not found' };
const connection = (): SessionPreferences => ({ place: 'connection', record: {} });

/** A legacy request whose session says how the client can ask its person. */
function legacy(policy = ON, app = false, preferences = connection()): Exchange {
  const exchange = exchangeOf(new Harness(policy, preferences), 'tools/list');
  const record = { panel: { app, form: false, key: 'k' } };
  exchange.kept = { session: { state: 'live', record }, principal: undefined };
  return exchange;
}

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false };
const TOOL = {
  name: 'concerns',
  title: 'What is shown',
  description:
    'Tells which tools are shown and why, and lets the person change that. Call it if a tool that the task needs is missing.',
  inputSchema: inputSchemaFor([]),
  annotations: { readOnlyHint: true, openWorldHint: false },
};
const PAGE = 'ui://concerns/panel.html';
const OPENS_PAGE = { ...TOOL, _meta: { ui: { resourceUri: PAGE }, 'ui/resourceUri': PAGE } };
const PAGE_ONLY = { ui: { resourceUri: PAGE, visibility: ['app'] } };
const READ_TOOL = {
  name: 'concerns_read',
  description: 'Returns what the page shows.',
  inputSchema: NO_ARGUMENTS,
  annotations: { readOnlyHint: true, openWorldHint: false },
  _meta: PAGE_ONLY,
};
const UPDATE_TOOL = {
  name: 'concerns_update',
  description: 'Makes a change of the page that shows less.',
  inputSchema: {
    type: 'object',
    properties: { concerns: { type: 'object' } },
    required: ['concerns'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  _meta: PAGE_ONLY,
};

/** The gate's own primitives, as the list of a server that has none. */
const own = (exchange: Exchange, kind: Kind = 'tools') => ownListOnly(exchange, kind, NOT_FOUND);

describe('the own list of a server without that list', () => {
  it('does not exist if the panel is off, or another error is the reason', () => {
    expect(own(legacy(OFF))).toBeUndefined();
    expect(ownListOnly(legacy(), 'tools', { code: -32602, message: 'Invalid' })).toBeUndefined();
  });

  it('has one tool for clients without pages', () => {
    expect(own(legacy())).toEqual({ tools: [TOOL] });
    expect(own(legacy(READ_ONLY))).toEqual({ tools: [TOOL] });
  });

  it('has the tools of the page for clients with pages', () => {
    expect(own(legacy(ON, true))).toEqual({ tools: [OPENS_PAGE, READ_TOOL, UPDATE_TOOL] });
  });

  it('has no tool that switches where nothing can be switched', () => {
    expect(own(legacy(READ_ONLY, true))).toEqual({ tools: [OPENS_PAGE, READ_TOOL] });
    expect(own(legacy(ON, true, { place: 'none' }))).toEqual({ tools: [] });
    const apps = exchangeOf(new Harness(ON), 'tools/list', { _meta: modern(APPS) });
    expect(own(apps)).toEqual({ tools: [] });
  });

  it('is empty for resources', () => {
    expect(own(legacy(ON, true), 'resources')).toEqual({ resources: [] });
    expect(own(legacy(ON, true), 'resourceTemplates')).toEqual({ resourceTemplates: [] });
  });
});

describe('the tool', () => {
  it('has the parameters that are open to the model, where they can be kept', () => {
    const [tool] = Object.values(own(legacy(FOR_MODELS)) ?? {}).flat();
    expect(tool).toEqual({
      ...TOOL,
      description:
        'Tells which tools are shown and why, and lets the person change that. Arguments change it: security, budget. Call it with list: true if a tool that the task needs is missing.',
      inputSchema: {
        type: 'object',
        properties: inputSchemaFor(FOR_MODELS.concerns.slice(0, 2)).properties,
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
  });

  it('has none where nothing is kept', () => {
    expect(own(legacy(FOR_MODELS, false, { place: 'none' }))).toEqual({ tools: [] });
    const request = exchangeOf(new Harness(FOR_MODELS), 'tools/list', { _meta: modern() });
    expect(own(request)).toEqual({ tools: [] });
  });
});

describe('the prompts', () => {
  const prompts = (does: string) => ({
    prompts: [
      {
        name: 'concerns-safe',
        title: 'Show: safe',
        description: `${does} what is shown to the preset safe.`,
      },
      {
        name: 'concerns-cheap',
        title: 'Show: cheap',
        description: `${does} what is shown to the preset cheap.`,
      },
      {
        name: 'concerns',
        title: 'What is shown',
        description: `${does} what is shown. Values that are left out stay; "any" removes a value.`,
        arguments: [
          { name: 'security', description: 'How safe it is: low, high, any', required: false },
          { name: 'budget', description: 'a number from 0 to 9, or any', required: false },
        ],
      },
    ],
  });

  it('are one for each preset, and one with the concerns of the host', () => {
    expect(own(legacy(), 'prompts')).toEqual(prompts('Switches'));
  });

  it('say how to switch where nothing is kept', () => {
    expect(own(legacy(ON, false, { place: 'none' }), 'prompts')).toEqual(prompts('Says how to switch'));
  });

  it('are none if nobody can switch', () => {
    expect(own(legacy(READ_ONLY), 'prompts')).toEqual({ prompts: [] });
  });
});

describe('a list of the server', () => {
  const page = { tools: [{ name: 'a' }], extra: 1 };
  const list = { kind: 'tools', filterKey: '' } as const;

  it('ends with the own entries', () => {
    expect(withOwnEntries(legacy(), list, page)).toEqual({ tools: [{ name: 'a' }, TOOL], extra: 1 });
  });

  it.each<[string, Exchange, Partial<typeof list> | { filterKey: string }, Record<string, unknown>]>([
    ['if the panel is off', legacy(OFF), {}, page],
    ['before the last page', legacy(), {}, { ...page, nextCursor: 'more' }],
    ["under the client's own filter", legacy(), { filterKey: '{"namePatterns":["a"]}' }, page],
    ['if it is no list', legacy(), {}, { tools: { length: 1 } }],
    ['if it is missing', legacy(), {}, {}],
  ])('is the same object %s', (_what, exchange, changed, result) => {
    expect(withOwnEntries(exchange, { ...list, ...changed }, result)).toBe(result);
  });
});
