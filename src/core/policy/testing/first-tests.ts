import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { decide } from '../../engine/evaluate.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import { toYamlFlow, toYamlScalar } from '../language/yaml-scalars.js';
import { type Subject, subjectsOf } from './run-tests.js';

/** The files that a test file names, as paths relative to it: also the JSON Schema, for editors. */
export type FirstTestPaths = Readonly<Record<'schema' | 'policy' | 'catalog', string>>;

/** People do not read longer lists. Above this length, a test names `EXAMPLES` primitives and gives the count. */
const MAX_NAMES = 24;
const EXAMPLES = 5;
/** One test names all uses of tools, so that it exercises each part of the policy that is about them. */
const MAX_USES = 200;

/**
 * Writes tests that record what a policy does now, one test for each value and each preset. A later change of the policy
 * then has to change a test.
 *
 * @param policy the policy
 * @param catalog the primitives of the server
 * @param files the paths that the test file refers to
 * @returns the YAML text of a test file, not formatted yet
 * @example
 * const files = { schema: './test.schema.json', policy: 'policy.yaml', catalog: 'policy.catalog.json' };
 * writeFileSync('policy.test.yaml', formatOwnYaml(writeFirstTests(policy, { tools }, files)));
 */
export function writeFirstTests(policy: Policy, catalog: ServerCatalog, files: FirstTestPaths): string {
  const all = subjectsOf(policy, catalog);
  const subjects = all.filter(({ isUse }) => !isUse);
  const counts = KINDS.flatMap((kind) => {
    const { length: count } = subjects.filter((each) => each.kind === kind);
    return count === 0 ? [] : [`${kind}: ${toYamlFlow({ count })}`];
  });
  const cases = [
    ...policy.concerns.flatMap(({ name, values }) =>
      ('min' in values ? [] : values).map((value) => ({
        name: `${name} ${value}`,
        concerns: { [name]: value },
      })),
    ),
    ...[...policy.presets.keys()].map((preset) => ({ name: `the preset ${preset}`, concerns: { preset } })),
  ];
  const uses = all.filter(({ isUse }) => isUse);
  const tests = [
    ...cases.flatMap((test) => ['', ...testLines(policy, subjects, test)]),
    ...useLines(policy, uses, cases),
  ];
  const [policyFile, catalogFile] = [files.policy, files.catalog].map(toYamlScalar);
  return [
    `# yaml-language-server: $schema=${files.schema}`,
    '# These tests record what hosts see under the policy today. Change them to what hosts should see.',
    `policy: ${policyFile}`,
    `catalog: ${catalogFile}`,
    '',
    'tests:',
    '  - name: a host without preferences sees everything',
    '    concerns: none',
    ...counts.map((count) => `    ${count}`),
    ...tests,
    '',
  ].join('\n');
}

/** What a test records: its name, and what the host and the operator say. */
export interface RecordedTest {
  readonly name: string;
  /** The preferences of the host; `null` for no value, also if the concern has a default. */
  readonly concerns: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** How the client names itself; empty if it does not. */
  readonly client?: Readonly<Record<string, string>>;
}

/**
 * Writes one test that records what a policy shows now.
 *
 * @param policy the policy
 * @param catalog the primitives of the server
 * @param test the name of the test, the preferences and the claims
 * @returns the YAML text of an item of `tests`
 * @example
 * writeTest(policy, catalog, { name: 'secure tools', concerns: { security: 'high' }, claims: {} });
 * // '  - name: secure tools\n    concerns: { security: high }\n    tools: { only: [encryptData] }\n'
 */
export const writeTest = (policy: Policy, catalog: ServerCatalog, test: RecordedTest): string =>
  [
    ...testLines(
      policy,
      subjectsOf(policy, catalog).filter(({ isUse }) => !isUse),
      test,
    ),
    '',
  ].join('\n');

/** A test that names uses of tools: under the first preferences that show some of them and hide others. */
function useLines(policy: Policy, uses: readonly Subject[], cases: readonly RecordedTest[]): string[] {
  for (const { name, concerns } of cases) {
    const [shown, hidden] = shownAndHidden(
      resolveConfiguration(policy, [{ from: 'request', concerns }]),
      uses,
    );
    if (shown.length === 0 || hidden.length === 0) continue;
    const few = (names: readonly string[]) => names.slice(0, names.length > MAX_USES ? EXAMPLES : MAX_USES);
    return [
      '',
      `  - name: ${toYamlScalar(`uses of tools, ${name}`)}`,
      `    concerns: ${toYamlFlow(concerns.preset ?? concerns)}`,
      '    tools:',
      `      includes: ${toYamlFlow(few(shown))}`,
      `      excludes: ${toYamlFlow(few(hidden))}`,
    ];
  }
  return [];
}

function testLines(
  policy: Policy,
  subjects: readonly Subject[],
  { name, concerns, claims = {}, client = {} }: RecordedTest,
): string[] {
  const isSet = (data: object): boolean => Object.keys(data).length > 0;
  const sources = isSet(concerns) ? [{ from: 'request' as const, concerns }] : [];
  const caller = { claims: new Map(Object.entries(claims)), client };
  const configuration = resolveConfiguration(policy, sources, caller);
  const preferences = isSet(concerns) ? concerns : 'none';
  return [
    `  - name: ${toYamlScalar(name)}`,
    `    concerns: ${toYamlFlow(concerns.preset ?? preferences)}`,
    ...(isSet(claims) ? [`    claims: ${toYamlFlow(claims)}`] : []),
    ...(isSet(client) ? [`    client: ${toYamlFlow(client)}`] : []),
    ...expectation(configuration, subjects),
  ];
}

/**
 * Writes what a test expects of each kind. If few primitives are shown, `only` lists all of them. Otherwise the test has
 * examples of shown primitives, the hidden ones (or examples of them), and the count.
 */
function expectation(configuration: Configuration, subjects: readonly Subject[]): string[] {
  return KINDS.flatMap((kind) => {
    const own = subjects.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    const [shown, hidden] = shownAndHidden(configuration, own);
    const upToLimit = (names: readonly string[]) =>
      names.slice(0, names.length > MAX_NAMES ? EXAMPLES : MAX_NAMES);
    if (shown.length <= Math.min(hidden.length, MAX_NAMES))
      return [`    ${kind}: ${toYamlFlow({ only: shown })}`];
    return [
      `    ${kind}:`,
      `      includes: ${toYamlFlow(hidden.length === 0 ? upToLimit(shown) : shown.slice(0, EXAMPLES))}`,
      ...(hidden.length === 0 ? [] : [`      excludes: ${toYamlFlow(upToLimit(hidden))}`]),
      `      count: ${shown.length}`,
    ];
  });
}

/** @returns the names of what is shown, and of what is hidden */
function shownAndHidden(
  configuration: Configuration,
  subjects: readonly Subject[],
): readonly [shown: string[], hidden: string[]] {
  const isShown = ({ mapping }: Subject) => decide(mapping, configuration).effect === 'show';
  return [
    subjects.filter(isShown).map(({ name }) => name),
    subjects.filter((each) => !isShown(each)).map(({ name }) => name),
  ];
}
