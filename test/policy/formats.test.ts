import { describe, expect, it } from 'vitest';
import {
  FINDING_CODES,
  FINDING_FORMATS,
  type Finding,
  formatFindings,
  writeFindings,
} from '../../src/core/policy/index.js';
import { parsePolicy } from '../../src/core/policy/parse.js';
import { reportOf } from './author.js';

const { findings, texts } = reportOf({
  'policy.yaml':
    'version: 1\nconcerns:\n  cost: { values: [low, high] }\nprimitives: { tools: { "log*": { cost: hihg } } }\n',
});

const odd: Finding = {
  file: 'a,b:c%d.yaml',
  line: 3,
  column: 5,
  length: 4,
  code: 'bad-yaml',
  severity: 'error',
  message: 'One, two: 100%\r\nof three.',
};

it('starts from a policy with an error and a warning', () => {
  expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
    'warning wildcard-in-name',
    'error unknown-value',
  ]);
});

it('writes pretty as formatFindings does', () => {
  expect(writeFindings(findings, texts, 'pretty')).toBe(formatFindings(findings, texts));
  expect(writeFindings([], texts, 'pretty')).toBe('');
});

it('writes all fields of each finding as json', () => {
  expect(JSON.parse(writeFindings(findings, texts, 'json'))).toEqual({ findings });
  expect(findings[1]).toMatchObject({ file: 'policy.yaml', line: 4, column: 40, length: 4 });
  expect(JSON.parse(writeFindings([], texts, 'json'))).toEqual({ findings: [] });
});

describe('github', () => {
  it('is one workflow command per finding', () => {
    const [first, second, ...more] = writeFindings(findings, texts, 'github').split('\n');
    expect(first).toBe(
      '::warning file=policy.yaml,line=4,col=24,endColumn=30,title=wildcard-in-name::"log*" is an exact name here, and "*" is not a wildcard. If you mean a wildcard, move the entry to "patterns".',
    );
    expect(second).toBe(
      '::error file=policy.yaml,line=4,col=40,endColumn=44,title=unknown-value::"hihg" is not a valid value for cost (low, high). Did you mean "high"?',
    );
    expect(more).toEqual([]);
    expect(writeFindings([], texts, 'github')).toBe('');
  });

  it('escapes characters that would end a command or a property', () => {
    expect(writeFindings([odd], new Map(), 'github')).toBe(
      '::error file=a%2Cb%3Ac%25d.yaml,line=3,col=5,endColumn=9,title=bad-yaml::One, two: 100%25%0D%0Aof three.',
    );
  });
});

describe('sarif', () => {
  interface Log {
    readonly version: string;
    readonly $schema: string;
    readonly runs: readonly {
      readonly columnKind: string;
      readonly tool: {
        readonly driver: {
          readonly name: string;
          readonly rules: readonly { readonly id: string; readonly helpUri?: string }[];
        };
      };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly message: { readonly text: string };
        readonly locations: readonly object[];
        readonly suppressions: readonly { readonly kind: string; readonly justification: string }[];
      }[];
    }[];
  }
  const write = (given: readonly Finding[]) => JSON.parse(writeFindings(given, texts, 'sarif')) as Log;

  it('has the properties that SARIF 2.1.0 requires of a log, a run and a tool', () => {
    const { version, $schema, runs } = write(findings);
    expect(version).toBe('2.1.0');
    expect($schema).toMatch(/^https:\/\/.*sarif.*2\.1\.0.*\.json$/);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      tool: {
        driver: { name: 'mcp-concerns', rules: [{ id: 'unknown-value' }, { id: 'wildcard-in-name' }] },
      },
      columnKind: 'utf16CodeUnits',
    });
  });

  it('has a result for each finding, with its rule and its place', () => {
    const [run] = write([...findings, ...findings, odd]).runs;
    expect(run?.results).toHaveLength(5);
    for (const { ruleId, ruleIndex } of run?.results ?? []) {
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    }
    expect(new Set(run?.tool.driver.rules.map(({ id }) => id)).size).toBe(run?.tool.driver.rules.length);
    expect(run?.results[1]).toMatchObject({
      level: 'error',
      message: { text: '"hihg" is not a valid value for cost (low, high). Did you mean "high"?' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'policy.yaml' },
            region: { startLine: 4, startColumn: 40, endColumn: 44 },
          },
        },
      ],
    });
    expect(run?.results[0]?.level).toBe('warning');
  });

  it('links each rule to the page that explains it, if the address of the documentation is known', () => {
    const all = FINDING_CODES.map((code) => ({ ...odd, code }));
    const rulesOf = (site?: string) => {
      const log: Log = JSON.parse(writeFindings(all, texts, 'sarif', [], site));
      return log.runs[0]?.tool.driver.rules ?? [];
    };
    const codes = [...FINDING_CODES].sort();
    expect(rulesOf('https://docs.example/')).toEqual(
      codes.map((id) => ({ id, helpUri: `https://docs.example/findings/${id}` })),
    );
    expect(rulesOf()).toEqual(codes.map((id) => ({ id })));
  });

  it('has silenced warnings as suppressed results, with their reasons', () => {
    const text = [
      'version: 1',
      'concerns:',
      '  # mcp-concerns-ignore clamp-on-list: callers without a tier see nothing ',
      '  tier: { values: [free, pro] }',
      'settings: { invalid: clamp }',
      'primitives:',
      '  tools:',
      '    "echo*": { tier: pro }',
    ].join('\n');
    const report = parsePolicy(new Map([['policy.yaml', text]]));
    const log: Log = JSON.parse(writeFindings(report.findings, report.texts, 'sarif', report.silenced));
    const results = log.runs[0]?.results.map(({ ruleId, suppressions }) => ({ ruleId, suppressions }));
    expect(results).toEqual([
      { ruleId: 'wildcard-in-name', suppressions: [] },
      {
        ruleId: 'clamp-on-list',
        suppressions: [{ kind: 'inSource', justification: 'callers without a tier see nothing' }],
      },
    ]);
    expect(writeFindings(report.findings, report.texts, 'json', report.silenced)).not.toContain('tier see');
  });

  it('writes paths as URI references', () => {
    const uriOf = (file: string) => JSON.stringify(write([{ ...odd, file }]).runs[0]?.results[0]?.locations);
    expect(uriOf('policies\\vault.yaml')).toContain('"uri":"policies/vault.yaml"');
    expect(uriOf('my policies/50%.yaml')).toContain('"uri":"my%20policies/50%25.yaml"');
    expect(uriOf('a#b?.yaml')).toContain('"uri":"a%23b%3F.yaml"');
  });

  it('has an empty list of results if there are no findings', () => {
    expect(write([]).runs[0]).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
  });
});

it('does not end any format with a line break', () => {
  for (const format of FINDING_FORMATS) {
    expect(writeFindings(findings, texts, format), format).toMatch(/[^\n]$/);
  }
});
