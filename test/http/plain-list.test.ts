import { isJsonContentType } from '@modelcontextprotocol/sdk/shared/mediaType.js';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeAnswer } from '../../src/core/http/known-lists/handler.js';
import { hasPlainHeaders, plainList, VERSIONS } from '../../src/core/http/known-lists/plain-list.js';
import { joined } from '../../src/core/http/streams/text-response.js';
import type { Message } from '../../src/core/wire/messages.js';

describe('plainList', () => {
  it('accepts the protocol versions that the SDK supports', () => {
    expect([...VERSIONS].sort()).toEqual([...SUPPORTED_PROTOCOL_VERSIONS].sort());
  });

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  it.each([
    list,
    { ...list, id: 'a' },
    { ...list, params: {} },
    { ...list, params: { cursor: 'x', _meta: { own: true } } },
  ])('accepts %j', (body) => expect(plainList(body)).toBe(body));

  it.each([
    null,
    'tools/list',
    [list],
    { ...list, jsonrpc: '1.0' },
    { ...list, id: 1.5 },
    { ...list, id: null },
    { jsonrpc: '2.0', method: 'tools/list' },
    { ...list, method: 'tools/call' },
    { ...list, method: '__proto__' },
    { ...list, params: [] },
    { ...list, params: null },
    { ...list, result: {} },
    { ...list, params: { _meta: [] } },
    { ...list, params: { _meta: { progressToken: {} } } },
  ])('leaves %j to the SDK', (body) => expect(plainList(body)).toBeUndefined());
});

it('writes the answer to a list with the same bytes as JSON.stringify', () => {
  const item = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue());
  const result = fc.record(
    {
      _meta: fc.jsonValue(),
      tools: fc.array(item),
      prompts: fc.array(item),
      nextCursor: fc.string(),
      x: fc.constant(undefined),
    },
    { requiredKeys: [] },
  );
  const answer = fc.oneof(
    result.map((each) => ({ result: each, jsonrpc: '2.0', id: 1 })),
    result.map((each) => ({ jsonrpc: '2.0', id: 'x', result: each })),
    fc.string().map((message) => ({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } })),
  );
  fc.assert(
    fc.property(answer, (message) => {
      const text = JSON.stringify(message);
      expect(joined(writeAnswer(message as Message))).toBe(text);
      expect(joined(writeAnswer(message as Message))).toBe(text);
    }),
  );
});

describe('the headers of a plain list', () => {
  const accepts = (type: string): boolean =>
    hasPlainHeaders(new Headers({ accept: 'application/json, text/event-stream', 'content-type': type }));

  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;',
    'application/json ;a',
  ])('can have the content type %s', (type) => expect(accepts(type)).toBe(true));

  it.each([
    '',
    'text/plain; a=application/json',
    'application/json-patch+json',
    'application/jsonx',
    'application/json, text/plain',
    'application/json;, text/plain',
  ])('are left to the SDK with the content type "%s"', (type) => expect(accepts(type)).toBe(false));

  it('are accepted only where the SDK accepts them', () => {
    const part = fc.constantFrom(
      'application/json',
      'text/plain',
      ';',
      ',',
      ' ',
      'charset=utf-8',
      '"',
      'a="b,c"',
      '=',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const type = parts.join('').trim();
        const isAccepted = accepts(type);
        expect(isAccepted && !isJsonContentType(type), type).toBe(false);
        if (!type.includes(',')) expect(isAccepted, type).toBe(isJsonContentType(type));
      }),
    );
  });
});
