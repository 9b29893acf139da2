import { describe, expect, it } from 'vitest';
import { normalizeUri, uriVariantsOf } from '../../../src/core/gate/enforce/uri-variants.js';

describe('the normal form of a URI', () => {
  it.each([
    ['R://Host/A', 'r://Host/A'],
    ['HTTP://Host/A', 'http://host/A'],
    [' r://a ', 'r://a'],
    ['r://a/b/../c', 'r://a/c'],
    ['file:\\\\\\a', 'file:///a'],
    ['file:///a b', 'file:///a%20b'],
    ['no uri', 'no uri'],
    ['http://', 'http://'],
    ['', ''],
  ])('of %j is %j', (uri, normal) => {
    expect(normalizeUri(uri)).toBe(normal);
  });
});

describe('the variants of a URI', () => {
  it.each<[string, readonly string[]]>([
    ['r://a', ['r://a']],
    ['not a uri', ['not a uri']],
    ['R://a', ['R://a', 'r://a']],
    ['r://a/%62', ['r://a/%62', 'r://a/b']],
    ['R://a/../%62', ['R://a/../%62', 'r://a/%62', 'r://a/b', 'R://a/../b']],
    ['r://a?b#c', ['r://a?b#c', 'r://a%3Fb%23c']],
    ['r://a/%e2%82%ac', ['r://a/%e2%82%ac', 'r://a/€', 'r://a/%E2%82%AC']],
    ['r://a/%E2%82%AC', ['r://a/%E2%82%AC', 'r://a/€']],
    ['r://a/%ff', ['r://a/%ff']],
    ['r://a/%zz%6', ['r://a/%zz%6']],
    ['r://a/%62%ff', ['r://a/%62%ff']],
    ['r://a/%62-%63', ['r://a/%62-%63', 'r://a/b-c']],
    ['a%20b', ['a%20b', 'a b']],
    ['r://a/%3Fb', ['r://a/%3Fb', 'r://a/?b']],
  ])('%j are %j', (uri, variants) => {
    expect(uriVariantsOf(uri)).toEqual(variants);
  });

  it('include what a server reads that decodes before it parses', () => {
    expect(uriVariantsOf('file:%5C%5C/d/x')).toContain('file:///d/x');
    expect(uriVariantsOf('file:/%09//a/b')).toContain('file:///a/b');
  });

  it('include what a server reads that parses before it decodes', () => {
    expect(uriVariantsOf('r://a/%2e%2e/b')).toContain('r://a/b');
    expect(uriVariantsOf('r://a/%252e')).toContain('r://a/%2e');
  });
});
