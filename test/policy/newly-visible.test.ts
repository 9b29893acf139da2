import { describe, expect, it } from 'vitest';
import { newlyVisible } from '../../src/core/policy/diff/newly-visible.js';
import { growth, LINEAR } from '../growth.js';
import { reportOf } from './author.js';

const TEAM =
  'version: 1\nconcerns: { team: { values: [ops, dev], multiple: true, set-by: operator, claim: groups } }\n';
const policy = (text: string) => {
  const { compiled } = reportOf({ 'policy.yaml': text });
  if (compiled === undefined) throw new Error(`This policy has errors: ${text}`);
  return compiled;
};
const closed = (rest = '') => `${TEAM}${rest}settings: { enforcement: enforce, unmapped: hide }\n`;
const open = (rest = '') => `${TEAM}${rest}settings: { enforcement: enforce, unmapped: show }\n`;
const CATALOG = { tools: [{ name: 'get_all' }, { name: 'wipe' }] };

/** What a change opens: names, and in quotes what the server may add. */
const opens = (before: string, after: string, catalog: object = CATALOG) =>
  newlyVisible(policy(before), policy(after), catalog).map(
    ({ kind, name, like }) => `${kind} ${name ?? `like ${JSON.stringify(like)}`}`,
  );

const OPS = 'primitives: { tools: { wipe: { team: ops } } }\n';
const PATTERN = 'patterns: { tools: { "get_*": { team: ops } } }\n';
const ENTRY = 'primitives: { tools: { get_all: { team: [ops, dev] }, wipe: { team: ops } } }\n';

describe('a change opens nothing', () => {
  it.each<[string, string, string]>([
    ['that removes an entry of a closed policy', closed(OPS), closed()],
    ['that changes a description', closed(), closed().replace('values', 'description: Teams, values')],
    ['that adds names for review', closed(), closed('review: { tools: [wipe] }\n')],
    ['that removes names for review', closed('review: { tools: [wipe] }\n'), closed()],
    ['that takes a value away', open(ENTRY), open(ENTRY.replace('[ops, dev]', 'ops'))],
    ['that hides what is not mapped', open(), closed()],
    [
      'that adds a rule that hides',
      open(),
      open('rules: [{ id: r, hide: [tools], when: { "===": [{ var: primitive.name }, wipe] } }]\n'),
    ],
  ])('%s', (_name, before, after) => {
    expect(opens(before, after)).toEqual([]);
  });
});

describe('a change opens', () => {
  it.each<[string, string, string, string[]]>([
    [
      'a tool, by an entry without values',
      closed(),
      closed('primitives: { tools: { wipe: {} } }\n'),
      ['tools wipe'],
    ],
    ['a tool for those with the value, by an entry with it', closed(), closed(OPS), ['tools wipe']],
    ['a tool, by another value', open(OPS), open(OPS.replace('ops', '[ops, dev]')), ['tools wipe']],
    [
      'what the server may add, by removing a pattern that decides about nothing now',
      open(`${PATTERN}${ENTRY}`),
      open(ENTRY),
      ['tools like "get_*"'],
    ],
    [
      'what the server may add again, by removing an entry',
      open('primitives: { tools: { gone: { team: ops } } }\n'),
      open(),
      ['tools like "gone"'],
    ],
    [
      'everything, by showing what is not mapped',
      closed(),
      open(),
      [
        'tools get_all',
        'tools wipe',
        'tools like undefined',
        'prompts like undefined',
        'resources like undefined',
        'resourceTemplates like undefined',
      ],
    ],
    [
      'a tool, by a rule that shows it',
      closed(),
      closed('rules: [{ id: r, show: [tools], when: { "===": [{ var: primitive.name }, wipe] } }]\n'),
      ['tools wipe'],
    ],
    [
      'a tool, by a default',
      closed(OPS),
      closed(OPS).replace('claim: groups', 'claim: groups, default: ops'),
      ['tools wipe'],
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(opens(before, after).sort()).toEqual([...expected].sort());
  });

  it('for some callers, and says for which', () => {
    const [found] = newlyVisible(policy(open(OPS)), policy(open(OPS.replace('ops', '[ops, dev]'))), CATALOG);
    expect(found).toMatchObject({ name: 'wipe', like: undefined });
    expect(found?.when).toMatch(/team/);
  });
});

it('does not take a tool that is called like a probe for one', () => {
  const named = { tools: [{ name: 'mcp-concerns-probe' }] };
  expect(opens(closed(), closed('primitives: { tools: { mcp-concerns-probe: {} } }\n'), named)).toEqual([
    'tools mcp-concerns-probe',
  ]);
});

it('takes time in proportion to the tools', async () => {
  const [before, after] = [policy(closed()), policy(closed('primitives: { tools: { wipe: {} } }\n'))];
  const factor = await growth((size) => {
    const catalog = { tools: Array.from({ length: size }, (_, index) => ({ name: `get_${index}` })) };
    return () => newlyVisible(before, after, catalog);
  }, 100);
  expect(factor).toBeLessThan(LINEAR);
});
