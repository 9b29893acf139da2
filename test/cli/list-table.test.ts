import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { judge, weighSurface } from '../../src/cli/reports/list-report.js';
import { toTable } from '../../src/cli/reports/list-table.js';
import { columns, rows, wrapped } from '../../src/cli/terminal/layout.js';
import { paperOf } from '../../src/cli/terminal/output.js';
import { resolveConfiguration } from '../../src/engine/configuration.js';
import { loadPolicy } from '../../src/policy/compile/load.js';

const policy = loadPolicy('policies/everything.yaml');
const surface = {
  tools: ['get-env', 'get-sum', 'trigger-elicitation-request-async', `get-${'x'.repeat(90)}`].map((name) => ({
    name,
  })),
  resourceTemplates: [{ uriTemplate: 'demo://resource/dynamic/blob/{resourceId}' }],
  prompts: [],
};
const configuration = resolveConfiguration(policy, [
  { from: 'request', concerns: { content: 'links', effect: 'read-only' } },
]);
const report = judge(
  policy,
  configuration,
  weighSurface(policy, surface, () => 1000),
);

/** A terminal of some width; `hasColors` is what Node says once it has looked at NO_COLOR and TERM. */
const terminal = (columns: number, colour: boolean) =>
  paperOf(Object.assign(Object.create(process.stdout), { isTTY: true, columns, hasColors: () => colour }));

describe('the table', () => {
  it.each([80, 140])('fits %i columns', (width) => {
    const lines = toTable(policy, report, terminal(width, false)).split('\n');
    const fixed = lines.filter((line) => !line.includes('x'.repeat(60)));
    expect(Math.max(...fixed.map(({ length }) => length))).toBeLessThanOrEqual(width);
  });

  it('has colours where they can be seen, and the same words without them', () => {
    const painted = toTable(policy, report, terminal(80, true));
    expect(painted).toContain('\u001b[1m');
    expect(stripVTControlCharacters(painted)).toBe(toTable(policy, report, terminal(80, false)));
  });

  it('shows only kinds that the server has', () => {
    const text = toTable(policy, report, { width: 80, paint: (_, painted) => painted });
    expect(text).toContain('resource template');
    expect(text).not.toContain('prompt');
    expect(text).toContain('primitive');
  });

  it('says so when there is nothing', () => {
    const nothing = judge(
      policy,
      configuration,
      weighSurface(policy, {}, () => 0),
    );
    expect(toTable(policy, nothing, terminal(80, false))).toBe('The server lists nothing.\n');
  });
});

describe('rows', () => {
  const group = [
    ['browser_storage_state', 'testing, sessions, recording', 'somewhere/deep/policy.yaml:7'],
  ] as const;

  it('are whole where nothing limits them', () => {
    expect(rows(group, undefined)).toEqual(group);
  });

  it('lose folders first, then ends', () => {
    expect(rows(group, 80)).toEqual([
      ['browser_storage_state', 'testing, sessions, recording', 'policy.yaml:7'],
    ]);
    expect(rows(group, 60)[0]?.[1]).toBe('testing, sessions…');
    expect(rows(group, 40)[0]?.[0]).toBe('browser_storage_sta…');
  });
});

it('columns go down, then right', () => {
  expect(columns(['a', 'b', 'c'], 7)).toEqual(['  a  c', '  b']);
  expect(columns(['a', 'b', 'c'], 3)).toEqual(['  a', '  b', '  c']);
});

it('a long list breaks between its items', () => {
  expect(wrapped('of ', ['one', 'two', 'three'], ', ', 12)).toEqual(['of one, two,', '   three']);
});
