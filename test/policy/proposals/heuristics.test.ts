import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { primitiveFacts } from '../../../src/cli/inputs/primitive-facts.js';
import type { Primitive } from '../../../src/core/engine/mapping.js';
import { proposeEffect } from '../../../src/core/policy/propose/effects.js';
import { proposePolicy } from '../../../src/core/policy/propose/propose-policy.js';
import { topicValues } from '../../../src/core/policy/propose/topic-values.js';
import { prefixGroups } from '../../../src/core/policy/propose/topics/gateway.js';
import { descriptionWords } from '../../../src/core/policy/propose/words/description-words.js';
import { singularOf, wordsOf } from '../../../src/core/policy/propose/words/words.js';

import { misnamed } from './bounds.js';

const tool = (name: string, description = '', annotations?: object): Primitive =>
  ({ name, description, ...(annotations === undefined ? {} : { annotations }) }) as Primitive;

const effectOf = (each: Primitive): string => {
  const { effect, effectFrom, doubt } = proposeEffect(each, wordsOf(String(each.name)));
  return `${effect} by ${effectFrom}${doubt === undefined ? '' : ', unsure'}`;
};

describe('a topic', () => {
  const topicsOf = (names: readonly string[]) => {
    const { tools } = proposePolicy({ tools: names.map((name) => tool(name)) });
    return new Map(tools.map(({ name, topics }) => [name, topics]));
  };

  it('is not half of a phrase whose other half is in most names', () => {
    const found = topicsOf([
      ...['get', 'create', 'merge', 'decline', 'approve', 'update'].map((verb) => `${verb}_pull_request`),
      ...['get', 'list', 'create', 'delete'].map((verb) => `${verb}_pull_request_task`),
      ...['get', 'list', 'create'].map((verb) => `${verb}_pull_request_draft`),
      ...['get', 'list', 'create'].map((verb) => `${verb}_branch`),
      ...['get', 'list'].map((verb) => `${verb}_pipeline`),
    ]);
    expect(found.get('get_pull_request_task')).toEqual(['task']);
    expect(found.get('create_pull_request_draft')).toEqual(['draft']);
    expect(found.get('get_branch')).toEqual(['branch']);
  });

  it('with more than 20 tools is divided by the words behind its own', () => {
    const objects = ['message', 'folder', 'rule', 'attachment', 'category'];
    const mail = objects.flatMap((object) =>
      ['get', 'list', 'create', 'update', 'delete'].map((verb) => `${verb}_mail_${object}`),
    );
    const others = ['calendar', 'contact', 'note', 'drive', 'team', 'chart'].flatMap((object) =>
      ['get', 'list', 'create', 'update', 'delete'].map((verb) => `${verb}_${object}_entry`),
    );
    const found = topicsOf([...mail, ...others]);
    expect(found.get('get_mail_folder')).toEqual(['mail.folder']);
    expect(found.get('get_contact_entry')).toEqual(['contact']);
  });
});

describe('the effect of a tool', () => {
  it.each([
    ['manage_media', ['list', 'upload', 'delete'], 'destroys by description, unsure'],
    ['manage_sprint', ['get', 'start', 'close'], 'changes by name'],
    ['postgrestRequest', ['GET', 'POST', 'DELETE'], 'destroys by description, unsure'],
    ['manage_media', undefined, 'changes by name'],
  ])('of %s with a parameter that can be %s is %s', (name, values, effect) => {
    const properties = values === undefined ? {} : { operation: { type: 'string', enum: values } };
    expect(effectOf({ ...tool(name), inputSchema: { type: 'object', properties } })).toBe(effect);
  });

  it.each([
    ['delete_branch', '', 'destroys by name'],
    ['issue_delete', '', 'destroys by name'],
    ['create_or_delete_branch', '', 'destroys by name'],
    ['getUserById', '', 'read-only by name'],
    ['run_audit', '', 'read-only by name'],
    ['execute_sql', '', 'destroys by name'],
    ['resolve_thread', '', 'changes by name'],
    ['mark_notification_as_read', 'Mark a notification as read', 'changes by name'],
    ['mark_all_read', '', 'changes by name'],
    ['flag_message_as_read', 'Flags a message as read', 'changes by name'],
    ['get_mark', 'Returns the mark', 'read-only by name'],
    ['resolve_name', '', 'read-only by name'],
    // The first word can be a changing verb, so only the description may say that it reads.
    ['order_status', '', 'changes by name'],
    ['order_status', 'Returns the status of an order', 'read-only by description'],
    ['place_details', 'Returns the details of a place', 'read-only by description'],
    // With an object that sends something from then on, these verbs do not only look.
    ['watch_mailbox', 'Watches a mailbox for changes', 'changes by name, unsure'],
    ['ping_org_webhook', 'Pings a webhook of an organization', 'changes by name, unsure'],
    ['ping_repo_hooks', '', 'changes by name, unsure'],
    ['watch_logs', 'Watches the logs of a pod', 'read-only by name'],
    ['ping_host', 'Pings a host', 'read-only by name'],
    ['drop_schema', '', 'destroys by name'],
    ['drop_schema', 'Schema to drop', 'destroys by name'],
    ['drop_schema', 'Shows what a drop removes', 'read-only by description, unsure'],
    ['archive_logs', 'Archives old logs', 'changes by name'],
    ['force_status', 'Forces the status of a job', 'destroys by name'],
    ['change_sonar_issue_status', 'Change the status of an issue', 'changes by name'],
    // A destroying verb decides, wherever it is.
    ['confirm_delete_group', 'Confirms a request', 'destroys by name'],
    ['get_delete_preview', 'Shows what would go', 'destroys by name, unsure'],
    ['list_trash', 'Lists what is in the trash', 'read-only by name'],
    // The description or the parameters say that it writes.
    ['get_language', 'Gets or sets the language', 'changes by description, unsure'],
    ['get_language', 'Gets a set of languages', 'read-only by name'],
    ['check_in', 'Checks in. This is a write operation.', 'changes by description, unsure'],
    ['check_in', 'Checks. This is not a write operation.', 'read-only by name'],
    ['query_tags', 'Manage all tags', 'changes by description, unsure'],
    // A single noun is not a verb.
    ['compute', '', 'destroys by nothing, unsure'],
    ['compute', 'Manage virtual machines', 'changes by description, unsure'],
    ['screenshot', 'Captures the page', 'read-only by description'],
    ['run_luau', '', 'destroys by name'],
    ['write_query', '', 'destroys by name'],
    ['query_database', 'Executes any SQL statement', 'destroys by description, unsure'],
    ['query_database', 'Executes a read-only SQL statement', 'read-only by name'],
    ['simulate_keyboard_input', '', 'changes by name'],
    ['broadcast_message', '', 'changes by name'],
    // Some verbs save something, send something, or carry out what is written elsewhere.
    ['download_figma_images', 'Download images used in a Figma file', 'changes by name, unsure'],
    ['download_report', 'Returns a report', 'read-only by description'],
    ['download_report', '', 'changes by name, unsure'],
    ['track_order', 'Track an order', 'changes by name, unsure'],
    ['format_rows', 'Formats rows', 'changes by name, unsure'],
    ['batch_format_cells', 'Formats cells', 'changes by description, unsure'],
    ['select_region', 'Returns the data of a region', 'read-only by description'],
    ['feedback', 'Provide feedback about an answer', 'changes by description, unsure'],
    ['execute_task', 'Retrieve the guidance for a task', 'read-only by description, unsure'],
    ['verify_task', '', 'changes by name, unsure'],
    // What follows an article or "of" is a noun.
    ['list_permissions', 'The set of permissions for the item', 'read-only by name'],
    ['list_thumbnails', 'Collection of thumbnailSet objects', 'read-only by name'],
    ['answer_call', '', 'changes by name, unsure'],
    ['answer_call', 'Answers a call', 'changes by name, unsure'],
    ['review_code', 'Finds faults in code', 'read-only by description'],
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
    [{ readOnlyHint: true }, 'generate_x', 'read-only by hints'],
    [{ readOnlyHint: true }, 'update_x', 'changes by hints, unsure'],
    [{ readOnlyHint: true }, 'delete_x', 'changes by hints, unsure'],
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

it.each([
  ['action', ['list', 'delete'], 'destroys by description, unsure'],
  ['action', ['list', 'get'], 'read-only by name'],
  ['format', ['list', 'delete'], 'read-only by name'],
])('a tool whose name says that it reads, with the parameter %s of %j, is %s', (name, values, expected) => {
  const inputSchema = { type: 'object', properties: { [name]: { type: 'string', enum: values } } };
  expect(effectOf({ ...tool('list_x'), inputSchema } as Primitive)).toBe(expected);
});

it('has no doubt about single tools if a server declares all that change something as destructive', () => {
  const doubts = (updates: boolean) => {
    const hints = { create_x: true, add_y: true, update_z: updates };
    const tools = Object.entries(hints).map(([name, destructiveHint]) => tool(name, '', { destructiveHint }));
    return proposePolicy({ tools }).tools.map(
      ({ effect, doubt }) => `${effect}${doubt === undefined ? '' : '?'}`,
    );
  };
  expect(doubts(true)).toEqual(['destroys', 'destroys', 'destroys']);
  expect(doubts(false)).toEqual(['destroys?', 'destroys?', 'changes']);
});

it.each([
  ['read_notification', 'unread_notification'],
  ['show_column', 'hide_columns'],
  ['select_row', 'deselect_row'],
])('takes %s for a change where another tool is called %s', (name, opposite) => {
  const effects = (others: readonly string[]) =>
    proposePolicy({ tools: [name, ...others].map((each) => tool(each, 'Returns what it is')) }).tools[0];
  expect(effects([])?.effect).toBe('read-only');
  expect(effects([opposite])).toMatchObject({ effect: 'changes', doubt: expect.stringContaining('undoes') });
});

it('a tool with a read-only hint whose description says that it writes is unsure', () => {
  const writes = tool('language', 'A write operation of the settings', { readOnlyHint: true });
  expect(effectOf(writes)).toBe('read-only by hints, unsure');
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
    const tagged = ['maps', 'routes', 'traffic', 'geo data'].flatMap((tag) =>
      ['a', 'b', 'c'].map((letter) => ({ name: `get_${tag[0]}${letter}`, ...with_(tag) })),
    );
    const { topicsFrom, topics } = topicsOf(tagged);
    expect(topicsFrom).toBe('tags');
    expect(topics).toMatchObject({
      get_ma: ['maps'],
      get_rb: ['routes'],
      get_tc: ['traffic'],
      get_ga: ['geo-data'],
    });
  });

  it('do not restrict everyday tools', () => {
    const nouns = ['user', 'file', 'order', 'ticket', 'invoice'];
    const names = nouns.flatMap((noun) => [`list_${noun}s`, `get_${noun}`, `create_${noun}`]);
    const { topics } = topicsOf([...names, 'get_current_time', 'calculator'].map((name) => tool(name)));
    expect(topics).toMatchObject({ get_current_time: 'any', calculator: 'any', get_user: ['user'] });
  });

  it.each([
    [11, 'few tools'],
    [12, undefined],
  ])('of %i tools are left out because of: %s', (count, reason) => {
    const names = Array.from({ length: count }, (_each, index) => `get_${'abcd'[index % 4]}thing_${index}`);
    const { topics, without } = proposePolicy({ tools: names.map((name) => tool(name)) });
    expect([without, topics.length > 0]).toEqual([reason, reason === undefined]);
  });

  it('are left out if most tools are everyday tools, so that they would hide less than a tenth', () => {
    const everyday = Array.from(
      { length: 120 },
      (_each, index) =>
        `get_time_${'utc day date'.split(' ')[index % 3]}_${'now '
          .repeat(1 + index)
          .trim()
          .replaceAll(' ', '_')}`,
    );
    const names = ['user', 'file'].flatMap((noun) => [`list_${noun}s`, `get_${noun}`, `create_${noun}`]);
    expect(proposePolicy({ tools: [...everyday, ...names].map((name) => tool(name)) }).without).toBe(
      'small savings',
    );
  });

  it('of any list are words that their tools have, and the same for the same list', () => {
    const word = fc.constantFrom(
      'user',
      'file',
      'order',
      'ticket',
      'kubectl',
      'pod',
      'node',
      'log',
      'zone',
      'page',
    );
    const verb = fc.constantFrom('get', 'list', 'create', 'delete');
    const name = fc.tuple(verb, word, word, fc.nat(999)).map((parts) => parts.join('_'));
    const anyList = fc.uniqueArray(name, { minLength: 12, maxLength: 80 });
    fc.assert(
      fc.property(anyList, fc.boolean(), (names, behindGateway) => {
        const tools = names.map((each, index) => tool(behindGateway ? `s${index % 7}__${each}` : each));
        const proposal = proposePolicy({ tools });
        expect(misnamed(proposal, tools)).toEqual([]);
        expect(proposePolicy({ tools })).toEqual(proposal);
        for (const [, description] of topicValues(proposal).values)
          expect(description.length).toBeLessThanOrEqual(120);
      }),
    );
  });

  it('are left out if there is only one', () => {
    const { topics } = topicsOf([tool('find_library'), tool('ping')]);
    expect(topics).toEqual({ find_library: [], ping: [] });
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
      inputSchema: fc.record({
        type: fc.constant('object'),
        properties: fc.record(
          {
            action: fc.record(
              {
                type: fc.constant('string'),
                enum: fc.uniqueArray(word),
                default: word,
                description: sentence,
              },
              { requiredKeys: ['enum'] },
            ),
            other: fc.record({ type: fc.constantFrom('string', 'number') }),
          },
          { requiredKeys: [] },
        ),
      }),
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
  const reads = ['issues', 'files', 'users', 'teams'].flatMap((tag) =>
    ['list', 'get', 'find'].map((verb) => ({
      name: `${verb}_${tag}`,
      tags: [tag],
      annotations: { readOnlyHint: true },
      ...(tag === 'issues' ? ui : {}),
    })),
  );
  const { tools, others, effects } = proposePolicy({
    tools: [
      ...reads,
      { name: 'delete_files', tags: ['files'], annotations: { destructiveHint: true }, ...forPages },
    ],
    resources: [{ uri: 'ui://issues.html' }, { uri: 'file:///a' }],
  });
  expect(tools.at(-1)).toMatchObject({ name: 'delete_files', effect: 'destroys', topics: ['issues'] });
  expect(others.resources).toEqual(['ui://issues.html', 'file:///a']);
  expect(effects).toEqual(['read-only', 'changes', 'destroys']);
});
