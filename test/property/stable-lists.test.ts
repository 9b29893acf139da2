import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXTENSION_ID, isRequest, read } from '../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate/gate-harness.js';

const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
const VALUES = ['one', 'two', 'three'] as const;
type Values = Partial<Record<Name, string>>;

const value = fc.constantFrom(...VALUES);
const values = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });

interface World {
  readonly enforcement: 'advisory' | 'enforce';
  readonly defaults: 'aware' | 'always' | 'never';
  /** All concerns by the setting, or these by their own attribute. */
  readonly stable: 'all' | readonly Name[];
  readonly byDefault: Values;
  /** Tools with this value for the first concern, whatever they have. */
  readonly ruledOut: string | undefined;
  readonly tools: readonly Values[];
  readonly url: Values;
}

/** A switch, and what the requests after it state by themselves. */
interface Switch {
  readonly session: Values;
  readonly request: Values;
}

const world: fc.Arbitrary<World> = fc.record({
  enforcement: fc.constantFrom('advisory', 'enforce'),
  defaults: fc.constantFrom('aware', 'always', 'never'),
  stable: fc.oneof(fc.constant('all' as const), fc.subarray([...NAMES], { minLength: 1 })),
  byDefault: values,
  ruledOut: fc.option(value, { nil: undefined }),
  tools: fc.array(values, { minLength: 1, maxLength: 6 }),
  url: fc.oneof(fc.constant({}), values),
});
const switches: fc.Arbitrary<readonly Switch[]> = fc.array(
  fc.record({ session: values, request: fc.oneof(fc.constant({}), values) }),
  { minLength: 1, maxLength: 6 },
);

const flow = (mapping: object): string => JSON.stringify(mapping);

function policyText({ enforcement, defaults, stable, byDefault, ruledOut, tools }: World): string {
  const concerns = NAMES.map((name) => {
    const own = stable !== 'all' && stable.includes(name) ? { lists: 'stable' } : {};
    const standard = byDefault[name] === undefined ? {} : { default: byDefault[name] };
    return `  ${name}: ${flow({ values: VALUES, ...own, ...standard })}\n`;
  });
  const entries = tools.map((each, at) => `    tool${at}: ${flow(each)}\n`);
  const when = { '===': [{ var: 'concerns.a' }, ruledOut] };
  const rules = ruledOut === undefined ? [] : [{ id: 'never', hide: ['tools'], when }];
  return [
    `concerns:\n${concerns.join('')}`,
    `primitives:\n  tools:\n${entries.join('')}`,
    `rules: ${JSON.stringify(rules)}\n`,
    `settings: ${flow({ enforcement, defaults, ...(stable === 'all' ? { lists: 'stable' } : {}) })}\n`,
  ].join('');
}

/** The oracle. What is stated first is strongest. */
function inEffect({ defaults, byDefault }: World, ...stated: readonly Values[]): Values {
  const applies =
    defaults === 'always' || (defaults === 'aware' && stated.some((each) => Object.keys(each).length > 0));
  return Object.assign({}, applies ? byDefault : {}, ...[...stated].reverse());
}

const fits = ({ ruledOut }: World, tool: Values, effective: Values): boolean =>
  NAMES.every((name) => [undefined, effective[name]].includes(tool[name]) || effective[name] === undefined) &&
  (ruledOut === undefined || effective.a !== ruledOut);

/** What decides about lists. */
function listed({ stable }: World, effective: Values, fixed: Values): Values {
  const isFixed = (name: Name) => stable === 'all' || stable.includes(name);
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const given = isFixed(name) ? fixed[name] : effective[name];
      return given === undefined ? [] : [[name, given]];
    }),
  );
}

describe('lists: stable', () => {
  it('keeps the bytes of a list through all switches, and no call of what they hide reaches the server', () => {
    fc.assert(
      fc.property(world, switches, (made, all) => {
        const harness = new Harness(policyOf(policyText(made)));
        const tools = made.tools.map((_, at) => ({ name: `tool${at}`, inputSchema: { type: 'object' } }));
        harness.serve({ 'tools/list': tools });
        const query = Object.entries(made.url).map(([name, each]) => `${name}:${each}`);
        const sender = { http: { url: `http://host/mcp?concerns=${query.join(',')}` } };
        const ask = (method: string, params: object) => {
          const id = harness.toClient.length + harness.toServer.length + 1;
          harness.client({ jsonrpc: '2.0', id, method, params }, sender);
          return harness.answers(id).at(-1);
        };
        const capabilities = { extensions: { [EXTENSION_ID]: {} } };
        ask('initialize', {
          protocolVersion: '2025-11-25',
          capabilities,
          clientInfo: { name: 't', version: '1' },
        });
        const bytesOf = new Map<string, string>();
        for (const { session, request } of all) {
          const changedBefore = harness.toClient.filter((each) => 'method' in each).length;
          ask('updateConcerns', { concerns: session });
          if (made.stable === 'all') {
            expect(harness.toClient.filter((each) => 'method' in each)).toHaveLength(changedBefore);
          }
          const _meta = { [EXTENSION_ID]: { concerns: request } };
          const answer = { ...ask('tools/list', { _meta }), id: 0 };
          const effective = inEffect(made, request, session, made.url);
          const forLists = listed(made, effective, inEffect(made, made.url));
          const names = made.tools.flatMap((tool, at) => (fits(made, tool, forLists) ? [`tool${at}`] : []));
          const shown = read(answer, 'result', 'tools');
          expect((shown as { name: string }[]).map(({ name }) => name)).toEqual(names);
          // The key is what the oracle says that the list depends on.
          const key = made.stable === 'all' ? '' : JSON.stringify(forLists);
          const bytes = JSON.stringify(answer);
          expect(bytesOf.get(key) ?? bytes).toBe(bytes);
          bytesOf.set(key, bytes);
          for (const [at, tool] of made.tools.entries()) {
            const name = `tool${at}`;
            const before = harness.toServer.length;
            const called = ask('tools/call', { name, arguments: {}, _meta });
            const reached = harness.toServer
              .slice(before)
              .some((each) => isRequest(each) && read(each.params, 'name') === name);
            const isShown = fits(made, tool, effective);
            if (names.includes(name) && !isShown) {
              expect([read(called, 'result', 'isError'), reached]).toEqual([true, false]);
              expect(JSON.stringify(read(called, 'result', 'content'))).toContain('do not retry');
            } else expect(reached).toBe(isShown || made.enforcement === 'advisory');
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
