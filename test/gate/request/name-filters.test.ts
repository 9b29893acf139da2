import { describe, expect, it } from 'vitest';
import {
  type NameFilter,
  passesNameFilters,
  readNameFilters,
  warnOfOtherServers,
  warnOfUnknownNames,
} from '../../../src/core/gate/request/name-filters.js';
import type { HttpRequestInfo } from '../../../src/core/gate/request/preference-sources.js';
import { policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
  budget: { values: { min: 0, max: 9 } }
  security: { values: [low, high] }
`;
const off = policyOf(POLICY);
const on = policyOf(`${POLICY}settings: { name-filters: true }\n`);
const withPreset = policyOf(`${POLICY}presets: { safe: { security: high } }\n`);
const numbers = policyOf('concerns: { budget: { values: { min: 0, max: 9 } } }\n');

const url = (query: string): HttpRequestInfo => ({ url: `http://localhost/mcp${query}` });
const headers = (sent: NonNullable<HttpRequestInfo['headers']>): HttpRequestInfo => ({ headers: sent });

const only = (...names: string[]): NameFilter => ({ from: '?tools', keeps: 'matching', names });
const except = (...names: string[]): NameFilter => ({ from: '?exclude', keeps: 'others', names });
const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe('the name filters of a request', () => {
  it.each<[string, HttpRequestInfo | undefined, readonly NameFilter[]]>([
    ['that is not an HTTP request', undefined, []],
    ['without any', url(''), []],
    ['with other parameters', url('?tool=a&concerns=b'), []],
    ['with other headers', headers({ 'x-mcp-tool': 'a' }), []],
    ['with a parameter', url('?tools=a*,b'), [only('a*', 'b')]],
    ['with a repeated parameter', url('?tools=a&tools=b,a'), [only('a', 'b')]],
    ['with empty names', url('?tools=,%20,&exclude='), []],
    ['with spaces', url('?tools=%20a%20,b%20'), [only('a', 'b')]],
    ['with an exclusion', url('?exclude=a'), [except('a')]],
    ['with both', url('?exclude=a&tools=b'), [only('b'), except('a')]],
    ['with a header', headers({ 'x-mcp-tools': 'a, b' }), [{ ...only('a', 'b'), from: 'X-MCP-Tools' }]],
    [
      'with a repeated header',
      headers({ 'x-mcp-exclude-tools': ['a', 'b'] }),
      [{ ...except('a', 'b'), from: 'X-MCP-Exclude-Tools' }],
    ],
    ['with an empty header', headers({ 'x-mcp-tools': '' }), []],
    [
      'with a parameter and a header',
      { ...url('?tools=a'), ...headers({ 'x-mcp-tools': 'b' }) },
      [only('a'), { ...only('b'), from: 'X-MCP-Tools' }],
    ],
  ])('%s', (_what, http, filters) => {
    expect(readNameFilters(http)).toEqual(filters);
  });
});

describe('a tool', () => {
  it.each<[string, readonly NameFilter[], readonly boolean[]]>([
    ['without filters', [], [true, true, true]],
    ['among names', [only('logData', 'hash')], [true, false, true]],
    ['by a pattern', [only('log*')], [true, true, false]],
    ['by all of several filters', [only('log*'), only('*Data', 'hash')], [true, false, false]],
    ['except names', [except('hash', 'logData')], [false, true, false]],
    ['except patterns', [except('*')], [false, false, false]],
    ['among names, except others', [only('log*'), except('*File')], [true, false, false]],
    ['among the most names', [only(...many(99), 'hash')], [false, false, true]],
    ['among too many names', [only(...many(100), 'hash')], [false, false, false]],
    ['except too many names', [except(...many(101))], [false, false, false]],
    ['except the longest name', [except('x'.repeat(256))], [true, true, true]],
    ['except names of which one is too long', [except('hash', 'x'.repeat(257))], [false, false, false]],
    ['except a name that is too long', [except('x'.repeat(257))], [false, false, false]],
  ])('passes %s', (_what, filters, passes) => {
    expect(['logData', 'logFile', 'hash'].map(passesNameFilters(filters))).toEqual(passes);
  });
});

describe('the warnings about unknown names', () => {
  const names = ['logData', 'hash'];
  const unknown = (from: string, quoted: string) => ({
    code: 'unknown-tool-name',
    message: `${from} names tools that are not listed: ${quoted}. Check the names with a list without filters.`,
  });

  it.each<[string, readonly NameFilter[], readonly object[]]>([
    ['none, if each name is one of a tool', [only('log*', 'hash'), except('hash')], []],
    ['the unknown names', [only('log', 'hash', 'zip*')], [unknown('?tools', '"log", "zip*"')]],
    [
      'those of each filter',
      [only('zip'), except('"quoted"')],
      [unknown('?tools', '"zip"'), unknown('?exclude', '"\\"quoted\\""')],
    ],
    [
      'eight names',
      [only(...many(8))],
      [unknown('?tools', '"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"')],
    ],
    [
      'eight names and how many more',
      [only(...many(10))],
      [unknown('?tools', '"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7" and 2 more')],
    ],
    ['none of a filter that is too long', [only(...many(101))], []],
  ])('are %s', (_what, filters, warnings) => {
    expect(warnOfUnknownNames(filters, names)).toEqual(warnings);
  });
});

describe('the warnings about what other servers understand', () => {
  const example = (text: string) =>
    `Choose what is listed with concerns, for example ?concerns=${text} in the URL.`;
  const header = (name: string, text = 'security:low') => ({
    code: 'unsupported-header',
    message: `${name} has no effect on this server. ${example(text)}`,
  });
  const filtersOff = (from: string, text = 'security:low') => ({
    code: 'name-filters-off',
    message: `${from} has no effect on this server: its policy does not accept name filters. ${example(text)}`,
  });
  const tooLong = (from: string) => ({
    code: 'name-filter-too-long',
    message: `${from} has more than 100 names, or a name of more than 256 characters. No tool is listed. Send fewer names.`,
  });
  const FOREIGN = { 'x-mcp-readonly': 'true', 'x-mcp-toolsets': 'repos' };

  it.each<[string, typeof off, HttpRequestInfo | undefined, readonly object[]]>([
    ['none without HTTP', off, undefined, []],
    ['none without such a header', off, url('?session=1'), []],
    ['those of headers', off, headers(FOREIGN), [header('X-MCP-Readonly'), header('X-MCP-Toolsets')]],
    ['those of one header', on, headers({ 'x-mcp-toolsets': '' }), [header('X-MCP-Toolsets')]],
    [
      'those of filters that are off',
      off,
      url('?tools=a&exclude=b'),
      [filtersOff('?tools'), filtersOff('?exclude')],
    ],
    [
      'those of both',
      off,
      { ...url('?tools=a'), ...headers({ 'x-mcp-readonly': '1' }) },
      [header('X-MCP-Readonly'), filtersOff('?tools')],
    ],
    ['none of filters that are on', on, url('?tools=a'), []],
    ['those of filters that are too long', on, url(`?tools=${many(101)}&exclude=a`), [tooLong('?tools')]],
    [
      'those of a header and of a filter that is too long',
      on,
      { ...url(`?exclude=${'x'.repeat(257)}`), ...headers({ 'x-mcp-readonly': '1' }) },
      [header('X-MCP-Readonly'), tooLong('?exclude')],
    ],
    ['with a preset', withPreset, url('?tools=a'), [filtersOff('?tools', 'safe')]],
    ['without a value to name', numbers, url('?tools=a'), [filtersOff('?tools', 'NAME:VALUE')]],
  ])('are %s', (_what, policy, http, warnings) => {
    expect(warnOfOtherServers(policy, http)).toEqual(warnings);
  });
});
