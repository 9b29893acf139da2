import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { primitiveFacts } from '../../../src/cli/inputs/primitive-facts.js';
import type { Primitive } from '../../../src/engine/mapping.js';
import { descriptionWords } from '../../../src/policy/propose/description-words.js';
import { proposeEffect } from '../../../src/policy/propose/effects.js';
import { prefixGroups } from '../../../src/policy/propose/gateway.js';
import { proposePolicy } from '../../../src/policy/propose/propose-policy.js';
import { singularOf, wordsOf } from '../../../src/policy/propose/words.js';

const tool = (name: string, description = '', annotations?: object): Primitive =>
  ({ name, description, ...(annotations === undefined ? {} : { annotations }) }) as Primitive;

const effectOf = (each: Primitive): string => {
  const { effect, effectFrom, doubt } = proposeEffect(each, wordsOf(String(each.name)));
  return `${effect} by ${effectFrom}${doubt === undefined ? '' : ', unsure'}`;
};

describe('the effect of a tool', () => {
  it.each([
    ['delete_branch', '', 'destroys by name'],
    ['issue_delete', '', 'destroys by name'],
    ['create_or_delete_branch', '', 'destroys by name'],
    ['getUserById', '', 'read-only by name'],
    ['run_audit', '', 'read-only by name'],
    ['execute_sql', '', 'destroys by name'],
    ['resolve_thread', '', 'changes by name'],
    ['resolve_name', '', 'read-only by name'],
    ['order_status', '', 'read-only by name'],
    // The name has no verb.
    ['elevation', 'Get the elevation of a place', 'read-only by description'],
    ['tabs', 'List, create, close or delete a tab.', 'destroys by description'],
    ['stashes', 'Manages stashes: list, restore and drop them.', 'destroys by description'],
    ['sql', 'This tool executes a SQL statement', 'destroys by description'],
    // The verb of the name says little.
    ['process_image', 'Describes an image', 'read-only by description'],
    // Name and description disagree: the more harmful one is taken.
    ['get_ready', 'Deletes all drafts', 'destroys by description, unsure'],
    ['frobnicate', 'Splines', 'destroys by nothing, unsure'],
    ['frobnicate', '', 'destroys by nothing, unsure'],
  ])('%s (%s) is %s', (name, description, expected) => {
    expect(effectOf(tool(name, description))).toBe(expected);
  });

  it.each([
    [{ readOnlyHint: true }, 'update_x', 'read-only by hints'],
    [{ readOnlyHint: true }, 'delete_x', 'read-only by hints, unsure'],
    [{ destructiveHint: true }, 'update_x', 'destroys by hints'],
    [{ destructiveHint: true }, 'list_x', 'destroys by hints, unsure'],
    [{ destructiveHint: true }, 'create_x', 'destroys by hints, unsure'],
    [{ destructiveHint: false }, 'list_x', 'read-only by name'],
    [{ readOnlyHint: false, destructiveHint: false }, 'list_x', 'changes by hints'],
    [{ readOnlyHint: false }, 'list_x', 'changes by name'],
    [{ readOnlyHint: false }, 'delete_x', 'destroys by name'],
    [{ readOnlyHint: 'yes' }, 'list_x', 'read-only by name'],
  ])('with %j, %s is %s', (annotations, name, expected) => {
    expect(effectOf(tool(name, '', annotations))).toBe(expected);
  });
});

describe('words', () => {
  it.each([
    ['issues', ['issues'], 'issue'],
    ['news', ['news', 'new'], 'news'],
    ['kubernetes', [], 'kubernetes'],
    ['redis', [], 'redis'],
    ['cookies', [], 'cookie'],
    ['caches', ['cache'], 'cache'],
    ['analyses', [], 'analysis'],
    ['statuses', [], 'status'],
    ['entities', [], 'entity'],
    ['repos', ['repository'], 'repository'],
    ['repos', [], 'repo'],
  ])('the singular of %s where a server says %j is %s', (word, known, expected) => {
    expect(singularOf(known)(word)).toBe(expected);
  });

  it('of a description are its first verb and its nouns', () => {
    expect(
      descriptionWords(
        tool('x', '[Beta] Notes | This tool retrieves the open issues of a repository. More.'),
      ),
    ).toEqual({
      verb: 'retrieve',
      nouns: ['issues', 'repository'],
    });
    expect(descriptionWords(tool('x'))).toEqual({ nouns: [] });
    expect(descriptionWords({ name: 'x', description: 7, words: { nouns: 'no' } } as Primitive)).toEqual({
      nouns: [],
    });
  });
});

describe('prefixes', () => {
  it.each([
    [
      ['a__get_x', 'a__put_x', 'b__list_y', 'b__read_y'],
      ['a__', 'b__'],
    ],
    [
      ['fs-read_file', 'fs-write_file', 'git-add', 'git-log'],
      ['fs-', 'git-'],
    ],
    [
      ['a.get', 'a.put', 'b.get', 'b.put'],
      ['a.', 'b.'],
    ],
    // The first words are verbs, not servers.
    [['create-index', 'create-view', 'list-indexes', 'list-views'], []],
    // One server, whose name is in front of all its tools.
    [['API-get', 'API-put', 'API-list'], []],
    [['get_x', 'put_x', 'list_y', 'read_y'], []],
  ])('of %j are %j', (names, expected) => {
    expect(prefixGroups(names).map(({ prefix }) => prefix)).toEqual(expected);
  });
});

describe('topics', () => {
  const topicsOf = (tools: readonly Primitive[]) => {
    const { tools: proposed, topicsFrom } = proposePolicy({ tools, prompts: [{ name: 'p' }] });
    return { topicsFrom, topics: Object.fromEntries(proposed.map(({ name, topics }) => [name, topics])) };
  };

  it.each([
    ['tags', (tag: string) => ({ tags: [tag] })],
    ['_meta.tags', (tag: string) => ({ _meta: { tags: [tag] } })],
    ['_meta.fastmcp.tags', (tag: string) => ({ _meta: { fastmcp: { tags: [tag] } } })],
    ['_meta._fastmcp.tags', (tag: string) => ({ _meta: { _fastmcp: { tags: [tag] } } })],
    ['annotations.category', (tag: string) => ({ annotations: { category: tag } })],
  ])('come from %s', (_where, with_) => {
    const tools = [
      { name: 'get_a', ...with_('maps') },
      { name: 'get_b', ...with_('maps') },
      { name: 'get_c', ...with_('geo data') },
    ];
    expect(topicsOf(tools)).toEqual({
      topicsFrom: 'tags',
      topics: { get_a: ['maps'], get_b: ['maps'], get_c: ['geo-data'] },
    });
  });

  it('do not restrict everyday tools', () => {
    const names = ['list_users', 'get_user', 'list_files', 'get_file', 'get_current_time', 'calculator'];
    const { topics } = topicsOf(names.map((name) => tool(name)));
    expect(topics).toMatchObject({ get_current_time: 'any', calculator: 'any', get_user: ['user'] });
  });

  it('are left out if there is only one', () => {
    const { topics } = topicsOf([tool('find_library'), tool('ping')]);
    expect(topics).toEqual({ find_library: [], ping: [] });
    // The second tool gets no topic because one tool that only reads must fit every topic.
    const two = [{ name: 'resolve-library-id' }, { name: 'query-docs' }];
    const hinted = two.map((each) => ({ ...each, annotations: { readOnlyHint: true } }));
    expect(proposePolicy({ tools: hinted }).topics).toEqual([]);
  });
});

it('are the same for a server and for its facts', () => {
  const word = fc.constantFrom(
    'get',
    'list',
    'create',
    'delete',
    'run',
    'manage',
    'issue',
    'issues',
    'file',
    'files',
    'news',
    'sql',
    'and',
    'or',
    'search',
    'a',
    'the',
    'status',
    'monitor',
    'kubernetes',
    'cookies',
    'Notion',
    'frobnicate',
  );
  const sentence = fc
    .tuple(
      fc.array(word, { maxLength: 14 }),
      fc.constantFrom('', '. ', ', ', ': ', '\n', ' | '),
      fc.array(word, { maxLength: 6 }),
    )
    .map(([first, mark, second]) => `${first.join(' ')}${mark}${second.join(' ')}`);
  const anyTool = fc.record(
    {
      name: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('_')),
      title: sentence,
      description: fc.oneof(sentence, fc.string(), fc.constant(undefined)),
      annotations: fc.record(
        { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), category: word },
        { requiredKeys: [] },
      ),
      _meta: fc.record(
        { fastmcp: fc.record({ tags: fc.array(word) }), tags: fc.array(word) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['name'] },
  );
  fc.assert(
    fc.property(fc.array(anyTool, { maxLength: 30 }), (tools) => {
      const facts = tools.map((each) => primitiveFacts('tools', each, 1));
      expect(proposePolicy({ tools: JSON.parse(JSON.stringify(facts)) })).toEqual(proposePolicy({ tools }));
    }),
  );
});

it('gives a tool that only pages can call the topics of their tools, and an effect of its own', () => {
  const ui = { _meta: { ui: { resourceUri: 'ui://issues.html' } } };
  const forPages = { _meta: { ui: { ...ui._meta.ui, visibility: ['app'] } } };
  const { tools, others, effects } = proposePolicy({
    tools: [
      { name: 'list_issues', tags: ['issues'], annotations: { readOnlyHint: true }, ...ui },
      { name: 'list_files', tags: ['files'], annotations: { readOnlyHint: true } },
      { name: 'delete_files', tags: ['files'], annotations: { destructiveHint: true }, ...forPages },
    ],
    resources: [{ uri: 'ui://issues.html' }, { uri: 'file:///a' }],
  });
  expect(tools.at(-1)).toMatchObject({ name: 'delete_files', effect: 'destroys', topics: ['issues'] });
  expect(others.resources).toEqual(['ui://issues.html', 'file:///a']);
  expect(effects).toEqual(['read-only', 'changes', 'destroys']);
});
