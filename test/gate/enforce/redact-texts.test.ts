import { describe, expect, it } from 'vitest';
import { exceptionsTo, NOTHING } from '../../../src/core/gate/enforce/exceptions.js';
import { hasTexts, redactError, redactMembers } from '../../../src/core/gate/enforce/redact-texts.js';

const redact = (text: string): string => `<${text}>`;
/** Redacts a result of which nothing is excepted. */
const redactResult = (result: Record<string, unknown>, by = redact) => redactMembers(result, by, NOTHING);

describe('redacting an error', () => {
  it('reads its message, and the texts and member names of its data', () => {
    const data = { a: ['b', { c: 'd' }], type: 'text', n: 1, z: null };
    expect(redactError({ code: -32602, message: 'no', data }, redact)).toEqual({
      code: -32602,
      message: '<no>',
      data: { '<a>': ['<b>', { '<c>': '<d>' }], '<type>': '<text>', '<n>': 1, '<z>': null },
    });
  });

  it.each([
    ['a text', 'secret', '<secret>'],
    ['null', null, null],
    ['a number', 0, 0],
    ['an empty text', '', '<>'],
  ])('reads data that is %s', (_what, data, redacted) => {
    expect(redactError({ code: 1, message: 'm', data }, redact)).toEqual({
      code: 1,
      message: '<m>',
      data: redacted,
    });
  });

  it('adds no data', () => {
    expect(Object.keys(redactError({ code: 1, message: 'm' }, redact))).toEqual(['code', 'message']);
  });

  it('reads what errors of the protocol do not have', () => {
    const error = JSON.parse('{ "code": 1, "message": ["m"], "data": "d", "secret": "s" }');
    expect(redactError(error, redact)).toEqual({ code: 1, message: ['<m>'], data: '<d>', '<secret>': '<s>' });
    expect(redactError(JSON.parse('{ "code": 1 }'), redact)).toEqual({ code: 1 });
  });
});

describe('redacting a result', () => {
  it('reads the texts, and the member names that the protocol does not define', () => {
    const content = [
      { type: 'text', text: 'secret', _meta: { own: 'a' } },
      { type: 'resource', resource: { uri: 'r://a', text: 't', blob: 'AAA=' } },
    ];
    expect(redactResult({ isError: true, content, own: { deep: [1, 'x'] } }, redact)).toEqual({
      isError: true,
      content: [
        { type: 'text', text: '<secret>', _meta: { '<own>': '<a>' } },
        { type: 'resource', resource: { uri: '<r://a>', text: '<t>', blob: 'AAA=' } },
      ],
      '<own>': { '<deep>': [1, '<x>'] },
    });
  });

  it('reads all of the structured content, which the protocol does not define', () => {
    const structuredContent = { type: 'text', text: { taskId: 'a' } };
    expect(redactResult({ content: [], structuredContent }, redact)).toEqual({
      content: [],
      structuredContent: { '<type>': '<text>', '<text>': { '<taskId>': '<a>' } },
    });
    expect(redactResult({ structuredContent: 'a' }, redact)).toEqual({ structuredContent: '<a>' });
    expect(redactResult({ structuredContent: null }, redact)).toEqual({ structuredContent: null });
  });

  it('adds no structured content', () => {
    expect(redactResult({ content: [] }, redact)).toEqual({ content: [] });
    expect(Object.keys(redactResult({ content: [] }, redact))).toEqual(['content']);
  });

  it('leaves the member names of results, content blocks, resources and tasks', () => {
    const names = [
      '_meta isError content messages contents completion task description resultType',
      'ttlMs cacheScope values total hasMore',
      'type text data blob mimeType uri name title size icons src sizes theme',
      'resource annotations audience priority lastModified role',
      'taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval',
      'inputRequests requestState method params',
    ].flatMap((line) => line.split(' '));
    const result = Object.fromEntries(names.map((name) => [name, 1]));
    expect(redactResult(result, redact)).toEqual(result);
    expect(redactResult({ a: result }, redact)).toEqual({ '<a>': result });
  });

  it.each([
    ['type', ['text', 'image', 'audio', 'resource', 'resource_link', 'tool_use', 'tool_result']],
    ['role', ['user', 'assistant']],
    ['audience', ['user', 'assistant']],
    ['status', ['working', 'input_required', 'completed', 'failed', 'cancelled']],
    ['resultType', ['complete', 'input_required', 'task']],
    ['cacheScope', ['public', 'private']],
    ['taskId', ['any text', '']],
    ['mimeType', ['text/plain', 'a.b+c-d_1/e.f+g-h', 'text/plain; charset=utf-8', 'a/b;c=d; e=f.g+h-i']],
    ['data', ['', 'AZaz09+/', 'YQ==', 'YWE=']],
    ['blob', ['', 'AZaz09+/', 'YQ==', 'YWE=']],
    ['createdAt', ['2025-11-25T10:00:00.000Z', '2025-11-25T10:00:00+01:00']],
    ['lastUpdatedAt', ['2025-11-25T10:00:00.000Z']],
    ['lastModified', ['2025-11-25T10:00:00.000Z']],
  ])('leaves the values of %s', (key, values) => {
    for (const value of [...values, values]) {
      const result = { content: [{ [key]: value }] };
      expect(redactResult(result, redact)).toEqual(result);
    }
  });

  it.each([
    ['type', ['texts', 'a text', 'Text', '']],
    ['role', ['users', 'a user', 'assistants', 'an assistant']],
    ['audience', ['users', 'a user', 'assistants', 'an assistant']],
    ['status', ['works', 'not working', 'cancelled?']],
    ['resultType', ['incomplete', 'completed', 'a task', 'tasks']],
    ['cacheScope', ['publics', 'a private']],
    [
      'mimeType',
      [
        'text',
        '/',
        'text/',
        '/plain',
        'a text/plain',
        'text/plain secret',
        'a/b; c',
        'a/b;  c=d',
        'a/b; c=',
        'a/b; =d',
        'a/b; !=d',
        'a/b; c=!',
        '!/b',
        'a/!',
      ],
    ],
    ['data', ['not base64', 'a===', '=a', 'a-b', 'a=b']],
    ['blob', ['not base64', 'a===', '=a', 'a-b', 'a=b']],
    ['createdAt', ['', 'secret', 'at 2025', '2025 at']],
    ['lastUpdatedAt', ['', 'secret', 'at 2025', '2025 at']],
    ['lastModified', ['', 'secret', 'at 2025', '2025 at']],
    ['text', ['text', 'user']],
    ['toString', ['a']],
    ['constructor', ['text']],
  ])('reads other values of %s', (key, values) => {
    for (const value of values) {
      expect(Object.values(redactResult({ [key]: value }, redact))).toEqual([`<${value}>`]);
    }
  });

  it('returns the same object if nothing changes', () => {
    const result = { content: [{ type: 'text', text: 'a' }] };
    expect(redactResult(result, (text) => text)).toBe(result);
  });
});

const error = { code: -32000, message: 'no', data: { a: 'b' } };
const failed = { isError: true, content: [{ type: 'text', text: 'no' }] };

describe('redacting a task', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'the status message of a task',
      { taskId: 't', status: 'working', statusMessage: 'a' },
      { taskId: 't', status: 'working', statusMessage: '<a>' },
    ],
    [
      'the status message of a task that a call created',
      { task: { taskId: 't', statusMessage: 'a', ttl: 1 }, _meta: {} },
      { task: { taskId: 't', statusMessage: '<a>', ttl: 1 }, _meta: {} },
    ],
    [
      'the error of a task',
      { taskId: 't', error },
      { taskId: 't', error: { code: -32000, message: '<no>', data: { '<a>': '<b>' } } },
    ],
    [
      'the failed result of a task',
      { taskId: 't', result: failed },
      { taskId: 't', result: { isError: true, content: [{ type: 'text', text: '<no>' }] } },
    ],
    [
      'all of them',
      { statusMessage: 'a', task: { statusMessage: 'b' }, error: { message: 'c' }, result: failed },
      {
        statusMessage: '<a>',
        task: { statusMessage: '<b>' },
        error: { message: '<c>' },
        result: { isError: true, content: [{ type: 'text', text: '<no>' }] },
      },
    ],
    ['an empty status message', { statusMessage: '' }, { statusMessage: '<>' }],
    [
      'parts of another form',
      { statusMessage: ['a'], task: 'b', error: 'c', result: 'd' },
      { statusMessage: ['<a>'], task: '<b>', error: '<c>', result: '<d>' },
    ],
    [
      'nothing of a result that succeeded',
      { error: { message: 'a' }, result: { isError: false, content: ['b'], structuredContent: { c: 'd' } } },
      {
        error: { message: '<a>' },
        result: { isError: false, content: ['b'], structuredContent: { c: 'd' } },
      },
    ],
    [
      'members that tasks do not have',
      { taskId: 't', a: { b: 'c' } },
      { taskId: 't', '<a>': { '<b>': '<c>' } },
    ],
  ])('reads %s', (_what, result, redacted) => {
    const exceptions = exceptionsTo(result);
    expect(hasTexts(result, exceptions)).toBe(true);
    const before = structuredClone(result);
    expect(redactMembers(result, redact, exceptions)).toEqual(redacted);
    expect(Object.keys(redactMembers(result, redact, exceptions))).toEqual(Object.keys(redacted));
    expect(result).toEqual(before);
  });

  it.each([
    [{}],
    [{ taskId: 't', status: 'working' }],
    [{ statusMessage: 7, task: { statusMessage: null }, error: { code: 1 }, result: { isError: true } }],
    [{ task: null, error: null, result: null }],
    [{ result: { isError: false, content: [{ type: 'text', text: 'secret' }] } }],
    [{ isError: true, content: [] }],
    [{ content: [{ type: 'text', text: 'secret' }], structuredContent: { secret: 1 }, _meta: { a: 'b' } }],
  ])('has nothing to read in %j', (result) => {
    const exceptions = exceptionsTo(result);
    expect(hasTexts(result, exceptions)).toBe(false);
    expect(redactMembers(result, redact, exceptions)).toBe(result);
  });
});

describe('what stays of a result that succeeded', () => {
  it('is its content, and what the client sends back', () => {
    const result = { content: ['a'], contents: ['b'], messages: ['c'], requestState: 'd', nextCursor: 'e' };
    expect(redactMembers(result, redact, exceptionsTo(result))).toBe(result);
    expect(redactMembers(result, redact, exceptionsTo({ isError: true }))).not.toEqual(result);
  });

  it('is a list of entries that its method filters', () => {
    const result = { skills: [{ name: 'a' }] };
    expect(redactMembers(result, redact, exceptionsTo(result, 'skills/list'))).toBe(result);
    expect(redactMembers(result, redact, exceptionsTo(result, 'tools/call'))).toEqual({
      '<skills>': [{ name: '<a>' }],
    });
  });

  it('is not a member that the protocol does not have yet', () => {
    const result = { content: [], secret: 'a' };
    expect(redactMembers(result, redact, exceptionsTo(result))).toEqual({ content: [], '<secret>': '<a>' });
  });
});
