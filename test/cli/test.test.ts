import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, run } from './run.js';

/** A policy with every part that tests can exercise, each on its own line. */
const POLICY = `version: 1
concerns:
  security: { values: [low, high] }
  topic: { values: [maps, code], multiple: true }
  budget: { values: { min: 0, max: 500 } }
  tier: { values: [free, pro], match: at-most, set-by: operator, claim: "custom:tier" }
presets:
  safe: { security: high }
primitives:
  tools:
    alpha: { security: high, tier: pro }
    beta: { security: low, budget: 20 }
    gamma: {}
    lost: { security: low }
patterns:
  tools:
    "d*": { topic: maps }
    "de*": { topic: code }
assign:
  - when: { "===": [{ var: primitive.annotations.readOnlyHint }, true] }
    to: { security: low }
rules:
  - id: no-sampling
    hide: [tools]
    when: { and: [{ "!!": { var: client.capabilities.sampling } }, { "===": [{ var: primitive.name }, gamma] }] }
    reason: Sampling clients bring their own
`;
const CATALOG = {
  tools: [
    { name: 'alpha' },
    { name: 'beta' },
    { name: 'gamma' },
    { name: 'delta' },
    { name: 'late', annotations: { readOnlyHint: true } },
  ],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-tests-'));
  writeFileSync(join(folder, 'policy.yaml'), POLICY);
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify(CATALOG));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Runs a test file beside the policy, and removes the folder from the output. */
async function test(tests: string, ...args: string[]) {
  const name = `t${++files}.test.yaml`;
  const file = join(folder, name);
  writeFileSync(
    file,
    tests.startsWith('policy') ? tests : `policy: policy.yaml\ncatalog: catalog.json\n${tests}`,
  );
  const { code, stdout, stderr } = await run('test', file, ...args);
  const short = (text: string) => text.replaceAll(`${folder}/`, '').replaceAll(name, 't.test.yaml');
  return { code, stdout: short(stdout), stderr: short(stderr) };
}

describe('the tests of this project', () => {
  it('pass, and exercise every part of their policies', async () => {
    const { code, stdout, stderr } = await run('test', 'policies', '--threshold', '100');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+ tests passed\n/);
    for (const name of ['everything', 'playwright', 'vault']) {
      expect(stdout).toMatch(new RegExp(`^ {2}policies/${name}\\.test\\.yaml: \\d+ passed$`, 'm'));
      expect(stdout).toMatch(new RegExp(`^100 % of policies/${name}\\.yaml exercised, (\\d+) of \\1$`, 'm'));
    }
    expect(await run('test', '--threshold', '100')).toEqual({ code, stdout, stderr });
  });

  it('are found beside a policy', async () => {
    const { code, stdout } = await run('test', 'policies/vault.yaml');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ tests passed\n$/) });
  });
});

describe.concurrent('a test that passes', () => {
  it.each([
    [
      'included and excluded tools',
      '{ concerns: { security: high }, claims: { "custom:tier": pro }, tools: { includes: [alpha], excludes: [beta] } }',
    ],
    ['only', '{ concerns: { security: high }, tools: { only: [gamma, delta] } }'],
    ['a preset', '{ concerns: safe, tools: { only: [gamma, delta] } }'],
    ['a preset and a concern', '{ concerns: { preset: safe, topic: maps }, tools: { only: [gamma] } }'],
    ['a host without preferences', '{ concerns: none, tools: { count: 4, excludes: [alpha] } }'],
    ['missing concerns', '{ tools: { count: 4 } }'],
    ['several values', '{ concerns: { topic: [maps, code] }, tools: { includes: [delta] } }'],
    ['a number', '{ concerns: { budget: 10 }, tools: { excludes: [beta] } }'],
    ['claims', '{ claims: { "custom:tier": pro }, tools: { includes: [alpha] } }'],
    ['client capabilities', '{ client: { capabilities: { sampling: {} } }, tools: { excludes: [gamma] } }'],
    ['another kind', '{ prompts: { count: 0 }, resources: { only: [] } }'],
  ])('may use: %s', async (_, body) => {
    const { code, stdout } = await test(`tests:\n  - ${body.replace('{ ', '{ name: one, ')}\n`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1 test passed\n' });
  });

  it('may use a server', async () => {
    const { code, stdout } = await test(
      `policy: ${resolve('test/cli/fixtures/rules.yaml')}
server: node "${fixture('pages.mjs')}"
tests:
  - { name: claimed, claims: { "custom:tier": pro }, tools: { includes: [alpha, late], count: 5 } }
`,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1 test passed\n' });
  });
});

describe.concurrent('a test that fails', () => {
  const FAILING = `tests:
  - name: every reason
    concerns: { security: high, topic: maps }
    claims: { "custom:tier": free }
    client: { capabilities: { sampling: {} } }
    tools: { only: [alpha, beta, gamma, delta], count: 3 }
  - name: too much
    concerns: { topic: code }
    tools: { excludes: [delta, late] }
  - name: fine
    concerns: none
    tools: { count: 4 }
`;

  it('is printed as a difference, with the reason for each primitive', async () => {
    const { code, stdout, stderr } = await test(FAILING);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toBe(`2 of 3 tests failed

every reason  t.test.yaml:4
  In effect: security=high topic=maps tier=free
  tools: 0 shown, 3 expected, - missing
    - alpha  its tier is pro, but at most free is in effect               policy.yaml:11
    - beta   its security is low, but high is in effect                   policy.yaml:12
    - gamma  rule no-sampling hides it: Sampling clients bring their own  policy.yaml:23
    - delta  its topic is code, but maps is in effect                     policy.yaml:18

too much  t.test.yaml:9
  In effect: topic=code
  tools: + unexpected
    + delta  matches: topic=code, no tier  policy.yaml:18
    + late   matches: no topic, no tier
`);
  });

  it('is printed as JSON for scripts', async () => {
    const { code, stdout } = await test(FAILING, '--format', 'json');
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report).toMatchObject({ ok: false, passed: 1, failed: 2, findings: [] });
    expect(report.files[0].tests[0]).toMatchObject({
      name: 'every reason',
      line: 4,
      passed: false,
      configuration: { security: 'high', topic: ['maps'], tier: 'free' },
      counts: [{ kind: 'tools', expected: 3, actual: 0 }],
    });
    expect(report.files[0].tests[0].wrong[1]).toEqual({
      kind: 'tools',
      name: 'beta',
      expected: 'shown',
      effect: 'hide',
      reason: {
        code: 'concern-mismatch',
        concern: 'security',
        preferred: ['high'],
        actual: ['low'],
        source: 'policy.yaml:12',
      },
    });
  });

  it('is printed as JUnit XML for CI systems', async () => {
    const { code, stdout } = await test(FAILING, '--format', 'junit', '--threshold', '100');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^<\?xml .*\?>\n<testsuites name="mcp-concerns" tests="4" failures="3" errors="0">\n/,
    );
    expect(stdout).toContain('<testcase classname="t.test.yaml" name="fine" file="t.test.yaml" line="12"/>');
    expect(stdout).toContain(
      'tools late is shown, but hidden was expected: matches: no topic, no tier</failure>',
    );
    expect(stdout).toContain('name="coverage"');
  });
});

describe.concurrent('coverage', () => {
  const TESTS = `tests:
  - { name: one, concerns: { security: high }, tools: { excludes: [beta, late] } }
`;

  it('lists the parts that no test exercises, and why no test can', async () => {
    const { code, stdout } = await test(TESTS, '--coverage');
    expect(code).toBe(0);
    expect(stdout).toBe(`1 test passed

25 % of policy.yaml exercised, 4 of 16
  values    2 of 8; not exercised:
    security=low   topic=code     tier=free
    topic=maps     budget=0..500  tier=pro
  entries   1 of 4; not exercised:
    alpha  tools                      policy.yaml:11
    gamma  tools                      policy.yaml:13
    lost   tools, not in the catalog  policy.yaml:14
  patterns  0 of 2; not exercised:
    d*   tools, replaced by stronger values  policy.yaml:17
    de*  tools                               policy.yaml:18
  assign    1 of 1
  rules     0 of 1; not exercised:
    no-sampling    policy.yaml:23
`);
  });

  it('fails below the threshold', async () => {
    const [low, enough] = await Promise.all([
      test(TESTS, '--threshold', '26'),
      test(TESTS, '--threshold', '25'),
    ]);
    expect([low.code, enough.code]).toEqual([1, 0]);
    expect(low.stdout).toMatch(/^1 test passed; tests exercise 25 % of policy\.yaml, less than 26 %\n/);
  });

  it('counts the values in effect and the named primitives of all tests', async () => {
    const more = `tests:
  - name: all of it
    concerns: { security: low, topic: code, budget: 1, preset: safe }
    claims: { "custom:tier": pro }
    client: { capabilities: { sampling: {} } }
    tools: { only: [delta, late] }
  - { name: none, concerns: { topic: maps }, claims: { "custom:tier": free }, tools: { excludes: [alpha, delta] } }
`;
    const { stdout } = await test(
      `${TESTS}${more.replace('tests:\n', '')}`,
      '--format',
      'json',
      '--coverage',
    );
    expect(JSON.parse(stdout).coverage).toEqual([
      {
        policy: 'policy.yaml',
        percentage: 87,
        exercised: 14,
        total: 16,
        missing: [
          {
            part: 'entries',
            name: 'lost',
            kind: 'tools',
            source: 'policy.yaml:14',
            obstacle: 'not in the catalog',
          },
          {
            part: 'patterns',
            name: 'd*',
            kind: 'tools',
            source: 'policy.yaml:17',
            obstacle: 'replaced by stronger values',
          },
        ],
      },
    ]);
  });
});

/** Each mistake: its name, the lines after the policy and the catalog, and what is printed about it. */
const MISTAKES: readonly (readonly [name: string, text: string, expected: string])[] = [
  [
    'a key',
    'test: []',
    '3:1  error  unknown-key  "test" is not a valid key of a test file (policy, catalog, server, tests). Did you mean "tests"?',
  ],
  ['no tests', 'tests: []', '3:8  error  empty  tests must not be empty.'],
  ['no list', 'tests: {}', '3:8  error  wrong-type  tests must be a list.'],
  [
    'a key of a test',
    'tests: [{ name: a, tool: {} }]',
    '3:20  error  unknown-key  "tool" is not a valid key of entry 1 of tests (name, concerns, claims, client, protocol, tools, prompts, resources, resourceTemplates). Did you mean "tools"?',
  ],
  [
    'no name',
    'tests: [{ tools: { count: 1 } }]',
    '3:9  error  missing-key  The key "name" is required in entry 1 of tests.',
  ],
  [
    'no expectation',
    'tests: [{ name: a }]',
    '3:9  error  missing-key  One of the keys tools, prompts, resources, resourceTemplates is required in entry 1 of tests.',
  ],
  [
    'an empty kind',
    'tests: [{ name: a, tools: {} }]',
    '3:27  error  empty  tools must not be empty. Add one of the keys includes, excludes, only, count.',
  ],
  [
    'a key of a kind',
    'tests: [{ name: a, tools: { onyl: [] } }]',
    '3:29  error  unknown-key  "onyl" is not a valid key of tools (includes, excludes, only, count). Did you mean "only"?',
  ],
  [
    'a count',
    'tests: [{ name: a, tools: { count: 1.5 } }]',
    '3:36  error  wrong-type  tools.count must be a whole number.',
  ],
  [
    'a count below zero',
    'tests: [{ name: a, tools: { count: -1 } }]',
    '3:36  error  out-of-range  count must be at least 0.',
  ],
  [
    'an empty command',
    'tests: [{ name: a, tools: { count: 1 } }]\nserver: " "',
    '4:9  error  empty  server must not be empty.',
  ],
  [
    'an entry after one with a wrong type',
    'tests: [{ name: a, tools: { only: [1, alpah] } }]',
    '3:39  error  unknown-primitive  The catalog does not have a tool "alpah". Did you mean "alpha"?',
  ],
  [
    'an entry beside a missing key',
    'tests: [{ tools: { only: [alpah] } }]',
    '3:27  error  unknown-primitive  The catalog does not have a tool "alpah". Did you mean "alpha"?',
  ],
  [
    'a test after one with a wrong type',
    'tests: [1, { name: a, tools: { only: [alpah] } }]',
    '3:39  error  unknown-primitive  The catalog does not have a tool "alpah". Did you mean "alpha"?',
  ],
  [
    'a name that is a number',
    'tests: [{ name: a, tools: { only: [1] } }]',
    '3:36  error  unquoted  1 is a number in YAML, but text is expected here. Write it in quotes: "1".',
  ],
  [
    'an unknown name',
    'tests: [{ name: a, tools: { only: [alpah] } }]',
    '3:36  error  unknown-primitive  The catalog does not have a tool "alpah". Did you mean "alpha"?',
  ],
  [
    'a name twice',
    'tests: [{ name: a, tools: { only: [beta, beta] } }]',
    '3:42  error  duplicate  "beta" is listed twice in only. Remove one of the two.',
  ],
  [
    'a contradiction',
    'tests: [{ name: a, tools: { includes: [beta], excludes: [beta] } }]',
    '3:58  error  duplicate  "beta" is in includes and in excludes, so the test can never pass. Remove it from one of them.',
  ],
  [
    'a concern',
    'tests: [{ name: a, concerns: { securty: low }, tools: { count: 1 } }]',
    '3:32  error  unknown-concern  "securty" is not a concern of this policy (security, topic, budget, tier). Did you mean "security"?',
  ],
  [
    'a value',
    'tests: [{ name: a, concerns: { security: hihg }, tools: { count: 1 } }]',
    '3:42  error  unknown-value  "hihg" is not a valid value for security (low, high). Did you mean "high"?',
  ],
  [
    'one of several values',
    'tests: [{ name: a, concerns: { topic: [maps, cod] }, tools: { count: 1 } }]',
    '3:46  error  unknown-value  "cod" is not a valid value for topic (maps, code). Did you mean "code"?',
  ],
  [
    'several values of a concern with one',
    'tests: [{ name: a, concerns: { security: [low] }, tools: { count: 1 } }]',
    '3:42  error  several-values  security takes one value here. Write one value, or declare the concern with "multiple: true".',
  ],
  [
    'a number',
    'tests: [{ name: a, concerns: { budget: 501 }, tools: { count: 1 } }]',
    '3:40  error  unknown-value  501 is not a valid value for budget. Write a number from 0 to 500.',
  ],
  [
    'a concern that the operator sets',
    'tests: [{ name: a, concerns: { tier: pro }, tools: { count: 1 } }]',
    '3:32  error  operator-preference  A host cannot set tier, because the operator sets it. Put "custom:tier" under claims instead.',
  ],
  [
    'a preset',
    'tests: [{ name: a, concerns: saef, tools: { count: 1 } }]',
    '3:30  error  unknown-value  "saef" is not a preset of this policy (safe, none). Did you mean "safe"?',
  ],
  [
    'a client',
    'tests: [{ name: a, client: { sampling: {} }, tools: { count: 1 } }]',
    '3:30  error  unknown-key  "sampling" is not a valid key of client (name, title, version, capabilities).',
  ],
  [
    'a test twice',
    'tests: [{ name: a, tools: { count: 4 } }, { name: a, tools: { count: 4 } }]',
    '3:51  error  duplicate  The name "a" is already used by the test in line 3. Rename one of them.',
  ],
];

describe('a mistake in a test file', () => {
  const halves: string[][] = [];
  let printed: Awaited<ReturnType<typeof run>>[];
  beforeAll(async () => {
    const names = MISTAKES.map((_, index) => join(folder, `m${index}.test.yaml`));
    for (const [index, [, text]] of MISTAKES.entries())
      writeFileSync(names[index] ?? '', `policy: policy.yaml\ncatalog: catalog.json\n${text}\n`);
    // Of more than 20 places, only the number is printed.
    halves.push(names.slice(0, names.length / 2), names.slice(names.length / 2));
    printed = [];
    for (const half of halves) printed.push(await run('test', ...half));
  });

  it('does not keep the other files from being read', () => {
    const expected = halves.map((half) => ({
      code: 1,
      stdout: `${half.length} files not run because of errors\n${half.map((name) => `  ${name}: not run\n`).join('')}`,
    }));
    expect(printed.map(({ code, stdout }) => ({ code, stdout }))).toEqual(expected);
  });

  it.each(MISTAKES.map(([name, , expected], index) => [name, index, expected] as const))(
    'is reported at its place, with the text that is wrong: %s',
    (_, index, expected) => {
      const all = printed.map(({ stderr }) => stderr).join('');
      const findings = all.replaceAll(`${folder}/`, '').split(/^(?=m\d+\.test\.yaml:)/m);
      const own = findings.filter((finding) => finding.startsWith(`m${index}.test.yaml:`)).join('');
      expect(own).toContain(`m${index}.test.yaml:${expected}\n`);
      expect(own).toMatch(/^ +\| +\^+$/m);
    },
  );
});

describe.concurrent('a test file that cannot be run', () => {
  beforeAll(() => {
    writeFileSync(join(folder, 'broken.yaml'), 'version: 1\nconcerns:  []\n');
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  });

  it.each<[string, string, string]>([
    [
      'no policy',
      'policy: no.yaml\ncatalog: catalog.json\n',
      '1:9  error  test-input-unreadable  no.yaml cannot be read (it does not exist). Paths are relative to this file.',
    ],
    [
      'no catalog',
      'policy: policy.yaml\ncatalog: no.json\n',
      '2:10  error  test-input-unreadable  no.json cannot be read (it does not exist). Check the path of the catalog.',
    ],
    [
      'a pipe as its catalog, which nobody writes into',
      'policy: policy.yaml\ncatalog: pipe.json\n',
      '2:10  error  test-input-unreadable  pipe.json cannot be read (it is not a regular file). Check the path of the catalog.',
    ],
    [
      'neither catalog nor server',
      'policy: policy.yaml\n',
      '1:1  error  missing-key  One of the keys catalog, server is required in the test file.',
    ],
    [
      'both',
      'policy: policy.yaml\ncatalog: catalog.json\nserver: node x.js\n',
      '3:1  error  duplicate  Only one of the keys catalog, server is allowed in the test file. Remove the others.',
    ],
    [
      'a policy with errors',
      'policy: broken.yaml\ncatalog: catalog.json\n',
      'broken.yaml:2:12  error  wrong-type',
    ],
    ['broken YAML', 'policy: [\n', '2:1  error  bad-yaml'],
  ])('is reported with the reason: %s', async (_, head, expected) => {
    const { code, stdout, stderr } = await test(`${head}tests: [{ name: a, tools: { count: 4 } }]\n`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '1 file not run because of errors\n' });
    expect(stderr).toContain(expected);
  });

  it('is run with a warning if no rule reads the name of a claim, because callers may have any claim', async () => {
    const { code, stderr } = await test(
      'tests: [{ name: a, claims: { "custom:teir": pro }, tools: { count: 4 } }]\n',
    );
    expect(code).toBe(0);
    expect(stderr).toContain('warning  unread-claim  The policy does not read the claim "custom:teir"');
  });

  it('is reported in JSON and JUnit XML', async () => {
    const broken = 'tests: [{ name: a, tools: { only: [x] } }]\n';
    const [json, junit] = await Promise.all([
      test(broken, '--format', 'json'),
      test(broken, '--format', 'junit'),
    ]);
    expect(JSON.parse(json.stdout).findings).toMatchObject([
      { code: 'unknown-primitive', line: 3, column: 36 },
    ]);
    expect(junit.stdout).toContain('tests="1" failures="0" errors="1"');
    expect([json.stderr, junit.stderr]).toEqual(['', '']);
  });
});

describe('invalid arguments of test', () => {
  it.each([
    [['no.test.yaml'], 'no.test.yaml cannot be read (it does not exist). Check the path of the tests.'],
    [['src'], 'src contains no file that ends in .test.yaml. Name a test file, or another folder.'],
    [['test/cli/fixtures/rules.yaml'], 'has no tests: test/cli/fixtures/rules.test.yaml does not exist'],
    [['--threshold', '101'], 'It takes a number from 0 to 100.'],
    [['--format', 'xml'], 'Allowed choices are pretty, json, junit.'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('test', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });

  it('reports a server that does not start', async () => {
    const { code, stderr } = await test(
      'policy: policy.yaml\nserver: [no-such-command-here]\ntests: [{ name: a, tools: { count: 4 } }]\n',
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mcp-concerns: The server "no-such-command-here" cannot be started/);
  });
});
