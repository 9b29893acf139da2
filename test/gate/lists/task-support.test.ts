import { describe, expect, it } from 'vitest';
import {
  callableTools,
  listsTaskOnlyTools,
  toolsOfEra,
} from '../../../src/core/gate/lists/tools-for-client.js';
import { exchangeOf, modern } from '../exchange-of.js';
import { Harness, policyOf, SECURITY } from '../gate-harness.js';

const ONLY = { name: 'only', execution: { taskSupport: 'required' } };
const EITHER = { name: 'either', execution: { taskSupport: 'optional' } };
const PLAIN = { name: 'plain' };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const harness = new Harness(policyOf(SECURITY));
const showing = new Harness(policyOf(`${SECURITY}settings: { tasks: show }\n`));
const legacy = exchangeOf(harness, 'tools/list');
const without = exchangeOf(harness, 'tools/list', { _meta: modern() });
const withTasks = exchangeOf(harness, 'tools/list', { _meta: modern(TASKS) });

describe('a result with tools that are called as tasks only', () => {
  it.each<[string, unknown, boolean]>([
    ['one such tool', { tools: [PLAIN, EITHER, ONLY] }, true],
    ['only such tools', { tools: [ONLY] }, true],
    ['tools that can be called without a task', { tools: [PLAIN, EITHER] }, false],
    ['no tools', { tools: [] }, false],
    ['another list', { prompts: [ONLY] }, false],
    ['a value that is no list', { tools: { 0: ONLY, length: 1 } }, false],
    ['tools of other types', { tools: [null, 'only', 7, [ONLY]] }, false],
    ['an execution of another type', { tools: [{ name: 'a', execution: 'required' }] }, false],
    ['another place of the word', { tools: [{ name: 'a', taskSupport: 'required' }] }, false],
  ])('is told by %s', (_what, result, has) => {
    expect(listsTaskOnlyTools(result)).toBe(has);
    expect(listsTaskOnlyTools(result)).toBe(has);
  });

  it('is not told by what is not a result', () => {
    expect(listsTaskOnlyTools(undefined)).toBe(false);
    expect(listsTaskOnlyTools(null)).toBe(false);
  });
});

describe('the tools that a client can call', () => {
  const tools = [PLAIN, ONLY, EITHER];

  it('have none that are called as tasks only, if a modern client does not declare tasks', () => {
    expect(callableTools(without, 'tools', tools)).toEqual([PLAIN, EITHER]);
  });

  it.each([
    ['the client declares tasks', withTasks, 'tools'],
    ['the client is a legacy one', legacy, 'tools'],
    ['the list is another one', without, 'prompts'],
    ['the policy shows them', exchangeOf(showing, 'tools/list', { _meta: modern() }), 'tools'],
  ] as const)('are the same list if %s', (_what, exchange, kind) => {
    expect(callableTools(exchange, kind, tools)).toBe(tools);
  });

  it('are the same list if each can be called', () => {
    const callable = [PLAIN, EITHER];
    expect(callableTools(without, 'tools', callable)).toBe(callable);
  });
});

describe('tools as their era knows them', () => {
  const tools = [PLAIN, ONLY, EITHER];

  it('have no execution in the modern era, and are otherwise the same objects', () => {
    const given = toolsOfEra({ era: 'modern' }, 'tools', tools);
    expect(given).toEqual([PLAIN, { name: 'only' }, { name: 'either' }]);
    expect(given[0]).toBe(PLAIN);
    expect(tools[1]).toHaveProperty('execution');
  });

  it('are the same list in the legacy era, and for other lists', () => {
    expect(toolsOfEra({ era: 'legacy' }, 'tools', tools)).toBe(tools);
    expect(toolsOfEra({ era: 'modern' }, 'prompts', tools)).toBe(tools);
  });

  it('are the same list if none has an execution', () => {
    const plain = [PLAIN];
    expect(toolsOfEra({ era: 'modern' }, 'tools', plain)).toBe(plain);
  });

  it('lose an execution of any type', () => {
    const odd = [{ name: 'odd', execution: null }];
    expect(toolsOfEra({ era: 'modern' }, 'tools', odd)).toEqual([{ name: 'odd' }]);
  });
});
