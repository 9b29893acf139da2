import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { decideAll, weighCatalog } from '../../src/cli/reports/list-report.js';
import { toTable } from '../../src/cli/reports/list-table.js';
import { columns, rows } from '../../src/cli/terminal/layout.js';
import { paperOf } from '../../src/cli/terminal/output.js';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { wrapped } from '../../src/core/policy/language/wrapped.js';

const policy = loadPolicy('policies/everything.yaml');
const catalog = {
  tools: ['get-env', 'get-sum', 'trigger-elicitation-request-async', `get-${'x'.repeat(90)}`].map((name) => ({
    name,
  })),
  resourceTemplates: [{ uriTemplate: 'demo://resource/dynamic/blob/{resourceId}' }],
  prompts: [],
};
const configuration = resolveConfiguration(policy, [
  { from: 'request', concerns: { content: 'links', effect: 'read-only' } },
]);
const report = decideAll(
  configuration,
  weighCatalog(policy, catalog, () => 1000),
);

/** A terminal with a width; `hasColors` is the result of Node after it has read NO_COLOR and TERM. */
const terminal = (columns: number, color: boolean) =>
  paperOf(Object.assign(Object.create(process.stdout), { isTTY: true, columns, hasColors: () => color }));

describe('the table of list', () => {
  it.each([80, 140])('fits %i columns', (width) => {
    const lines = toTable(policy, report, terminal(width, false)).split('\n');
    const fixed = lines.filter((line) => !line.includes('x'.repeat(60)));
    expect(Math.max(...fixed.map(({ length }) => length))).toBeLessThanOrEqual(width);
  });

  it('has the same words with and without colors', () => {
    const painted = toTable(policy, report, terminal(80, true));
    expect(painted).toContain('\u001b[1m');
    expect(stripVTControlCharacters(painted)).toBe(toTable(policy, report, terminal(80, false)));
  });

  it('contains only kinds that the server has', () => {
    const text = toTable(policy, report, { width: 80, paint: (_, painted) => painted });
    expect(text).toContain('resource template');
    expect(text).not.toContain('prompt');
    expect(text).toContain('primitive');
  });

  it('states that the server lists nothing', () => {
    const nothing = decideAll(
      configuration,
      weighCatalog(policy, {}, () => 0),
    );
    expect(toTable(policy, nothing, terminal(80, false))).toBe('The server lists nothing.\n');
  });
});

describe('rows', () => {
  const group = [
    ['browser_storage_state', 'testing, sessions, recording', 'somewhere/deep/policy.yaml:7'],
  ] as const;

  it('are not cut outside a terminal', () => {
    expect(rows(group, undefined)).toEqual(group);
  });

  it('lose their folders first, then the ends of long texts', () => {
    expect(rows(group, 80)).toEqual([
      ['browser_storage_state', 'testing, sessions, recording', 'policy.yaml:7'],
    ]);
    expect(rows(group, 60)[0]?.[1]).toBe('testing, sessions…');
    expect(rows(group, 40)[0]?.[0]).toBe('browser_storage_sta…');
  });
});

it('fills columns from top to bottom', () => {
  expect(columns(['a', 'b', 'c'], 7)).toEqual(['  a  c', '  b']);
  expect(columns(['a', 'b', 'c'], 3)).toEqual(['  a', '  b', '  c']);
});

it('wraps a long list between its items', () => {
  expect(wrapped('of ', ['one', 'two', 'three'], ', ', 12)).toEqual(['of one, two,', '   three']);
});
