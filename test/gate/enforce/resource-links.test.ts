import { describe, expect, it } from 'vitest';
import { namesResources, withoutHiddenLinks } from '../../../src/core/gate/enforce/resource-links.js';

const link = (uri: unknown) => ({ type: 'resource_link', uri, name: 'n' });
const embedded = (uri: unknown) => ({ type: 'resource', resource: { uri, text: 't' } });
const text = { type: 'text', text: 'r://secret' };

describe('a result names resources', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['with contents', { contents: [{ uri: 'r://a' }] }, true],
    ['with a list of contents that is empty', { contents: [] }, true],
    ['with contents of another form', { contents: 'r://a' }, false],
    ['with a link', { content: [link('r://a')] }, true],
    ['with an embedded resource', { content: [embedded('r://a')] }, true],
    ['with a link in structured content', { structuredContent: { a: [{ b: link('r://a') }] } }, true],
    ['with an embedded resource of no type', { content: [{ resource: { uri: 'r://a' } }] }, true],
    ['with text only', { content: [text] }, false],
    ['with a link after text', { content: [text, link('r://a'), text] }, true],
    ['with a URI in another member', { content: [{ type: 'text', uri: 'r://a' }] }, false],
    ['with a link without a URI', { content: [link(undefined)] }, false],
    ['with a link to something else', { content: [link(7)] }, false],
    ['with an embedded resource without a URI', { content: [embedded(null)] }, false],
    ['without members', {}, false],
  ])('%s', (_what, result, expected) => {
    expect(namesResources(result)).toBe(expected);
  });
});

const asked: string[] = [];
const isHidden = (uri: string): boolean => {
  asked.push(uri);
  return uri.startsWith('r://secret');
};
const without = (result: Record<string, unknown>) => withoutHiddenLinks(result, isHidden);

describe('the contents of hidden resources', () => {
  const shown = { uri: 'r://a', text: 'a' };
  const hidden = { uri: 'r://secret/1', text: 'b' };

  it.each<[string, unknown, unknown]>([
    ['are removed', [shown, hidden], [shown]],
    [
      'leave contents without a URI',
      [hidden, { text: 'b' }, { uri: 7 }, null],
      [{ text: 'b' }, { uri: 7 }, null],
    ],
  ])('%s', (_what, contents, kept) => {
    expect(without({ contents, _meta: {} })).toEqual({ contents: kept, _meta: {} });
  });

  it('leave no result if there are no others', () => {
    expect(without({ contents: [hidden] })).toBeUndefined();
    expect(without({ contents: [hidden, hidden] })).toBeUndefined();
  });

  it.each([[{ contents: [] }], [{ contents: [shown] }], [{ contents: 'r://secret' }], [{}]])(
    'change nothing else: %j',
    (result) => {
      expect(without(result)).toBe(result);
    },
  );
});

describe('links to hidden resources', () => {
  it.each([
    ['a link', link('r://secret')],
    ['an embedded resource', embedded('r://secret')],
    ['an embedded resource of no type', { resource: { uri: 'r://secret' } }],
  ])('are removed anywhere: %s', (_what, hidden) => {
    const shown = link('r://a');
    expect(
      without({ content: [hidden, shown, text], structuredContent: { hidden, deep: [[hidden]] } }),
    ).toEqual({
      content: [shown, text],
      structuredContent: { deep: [[]] },
    });
  });

  it('take the message of a prompt with them, because its content must not be missing', () => {
    const message = (content: unknown) => ({ role: 'user', content });
    const messages = [
      message(text),
      message(embedded('r://secret')),
      message(link('r://a')),
      message([link('r://secret'), text]),
      null,
    ];
    expect(without({ description: 'd', messages })).toEqual({
      description: 'd',
      messages: [message(text), message(link('r://a')), message([text]), null],
    });
  });

  it('do not take other lists of messages with them', () => {
    expect(without({ messages: { a: link('r://secret') } })).toEqual({ messages: {} });
  });

  it('leave the same object if there are none', () => {
    const result = {
      content: [text, link('r://a'), link(7), { type: 'x', uri: 'r://secret' }],
      messages: [{ role: 'user', content: text }],
    };
    expect(without(result)).toBe(result);
    expect(asked).not.toContain(7);
  });
});
