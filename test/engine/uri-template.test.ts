import { describe, expect, it } from 'vitest';
import { compileUriTemplate } from '../../src/core/engine/match/uri-template.js';

describe('a URI template', () => {
  it.each([
    ['vault://audit', ['vault://audit'], ['vault://audit/', 'vault://audi', 'VAULT://audit', '']],
    [
      'vault://keys/{id}',
      ['vault://keys/7', 'vault://keys/a.b:c'],
      ['vault://keys/', 'vault://keys/7/x', 'vault://keys'],
    ],
    ['{id}', ['7', 'abc'], ['', 'a/b', 'a?b', 'a#b']],
    ['{a}{b}', ['ab', 'abc'], ['a', '']],
    ['{a}.{b}', ['x.y', 'x.y.z', '...'], ['x.', '.y', 'xy']],
    ['{a}/{b}', ['x/y'], ['x/y/z', '/y', 'x/']],
    ['file:///{+path}', ['file:///a', 'file:///a/b/c', 'file:///'], ['file://a']],
    ['page{#section}', ['page', 'page#top', 'page#a/b'], ['pag']],
    ['a{/path*}', ['a', 'a/b', 'a/b/c'], ['b']],
    ['search{?q,limit}', ['search', 'search?q=1', 'search?q=1&limit=2'], ['searc']],
    ['search?q=1{&more}', ['search?q=1', 'search?q=1&x=2'], ['search']],
    ['list/{items*}', ['list/', 'list/a', 'list/a,b', 'list/a/b'], ['lis']],
    ['x{.ext}', ['x', 'x.json'], ['y.json']],
    ['{+a}z{+b}', ['z', 'zz', 'azb', 'zazbz'], ['a', '']],
    ['x{ ', ['x{ '], ['x', 'x1']],
    ['🔐/{id}', ['🔐/1', '🔐/🔑'], ['/1', '🔐/']],
    ['', [''], ['a']],
  ])('matches the URIs of %s and no others', (template, matching, others) => {
    const { matches } = compileUriTemplate(template);
    expect(matching.filter((uri) => !matches(uri))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it.each(['a.c', 'a+c', '(a)', '^a', '[a]', 'a|b', '\\w', '*'])('treats %s as literal text', (literal) => {
    const { matches } = compileUriTemplate(`${literal}/{id}`);
    expect(matches(`${literal}/7`)).toBe(true);
    expect(['abc/7', 'aac/7', 'a/7', 'b/7', '/7'].filter(matches)).toEqual([]);
  });

  it('is more specific with more literal characters', () => {
    const literals = ['{+all}', 'v://{+path}', 'v://{a}/list', 'v://keys/{id}', 'v://keys/own'].map(
      (template) => compileUriTemplate(template).literals,
    );
    expect(literals).toEqual([0, 4, 9, 9, 12]);
  });
});

// A matcher that backtracks needs years for these, so a failure shows as a timeout.
describe('many expressions', () => {
  it.each(['{a}', '{+a}', '{a*}', '{/a}'])('match in time with %s 40 times', (expression) => {
    const { matches } = compileUriTemplate(`${expression.repeat(40)}!`);
    expect(matches('a'.repeat(2000))).toBe(false);
    expect(matches(`${'a'.repeat(2000)}!`)).toBe(true);
  });
});
