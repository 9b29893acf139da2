import { describe, expect, it } from 'vitest';
import { redactError, redactResult } from '../../../src/gate/enforce/result-redaction.js';

const redact = (text: string): string => `<${text}>`;

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

  it('leaves a message that is no text', () => {
    const error = JSON.parse('{ "code": 1, "message": ["m"], "data": "d" }');
    expect(redactError(error, redact)).toEqual({ code: 1, message: ['m'], data: '<d>' });
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
    for (const value of values) expect(redactResult({ [key]: value }, redact)).toEqual({ [key]: value });
    expect(redactResult({ [key]: values }, redact)).toEqual({ [key]: values });
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
    expect(redactResult(result, (text) => text)).toEqual(result);
  });
});
