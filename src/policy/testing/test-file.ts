import { KINDS, type Kind } from '../../engine/policy.js';
import type { Finding } from '../language/findings.js';
import type { Path, Source } from '../language/read-yaml.js';
import type { Language } from '../language/schema-messages.js';
import { validateSource } from '../language/validate.js';
import { validate } from './generated/test-file-validator.js';
import { type TestDocument, type TestFileDocument, testFileSchema } from './test-schema.js';

/** What a test says of one kind of primitives. */
export interface Expectation {
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  /** A closed world: these are shown, and nothing else. */
  readonly only?: readonly string[];
  readonly count?: number;
}

/** One test: what a host asks for, who it is, and what it has to see. */
export interface PolicyTest {
  readonly name: string;
  /** Where the test stands in its file. */
  readonly path: Path;
  /** What the host asks for, or the name of a preset; nothing for a host that never spoke of concerns. */
  readonly concerns?: Readonly<Record<string, unknown>> | string;
  /** Claims that were verified. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** What the client can do; nothing where that is not known. */
  readonly capabilities?: object;
  readonly expects: { readonly [K in Kind]?: Expectation };
}

/** A file of tests, as far as it could be read. */
export interface TestFile {
  readonly policy: readonly string[];
  readonly catalog?: string;
  /** The command of a server, and its arguments. */
  readonly server?: readonly string[];
  readonly tests: readonly PolicyTest[];
  readonly findings: readonly Finding[];
  /** As `Source.locate`, for paths of the tests: what did not fit was taken out of the lists before them. */
  locate: Source['locate'];
}

/** What stands for a host that never spoke of concerns. */
const NONE = 'none';

const TESTS: Language = {
  schema: testFileSchema,
  nameOf: (path) => {
    if (path.length === 0) return 'a test file';
    return path.length === 2 && path[0] === 'tests' ? 'a test' : undefined;
  },
};

/**
 * Reads a file of policy tests. What does not fit is a finding, and the rest is read on.
 *
 * @param source the file, as `readPolicyText` gives it
 * @returns its tests, and what is wrong with it
 * @example
 * const { tests, findings } = readTestFile(readPolicyText(text, 'policies/vault.test.yaml'));
 */
export function readTestFile(source: Source): TestFile {
  if (source.data === undefined) {
    return { policy: [], tests: [], findings: source.findings, locate: source.locate };
  }
  // A test without a name is as good for finding the rest of what is wrong.
  const { data, findings, locate } = validateSource(source, TESTS, validate, () => true);
  const { policy = [], catalog, server, tests = [] } = (data ?? {}) as TestFileDocument;
  const command = typeof server === 'string' ? splitWords(server) : server;
  if (command?.length === 0) {
    const place = locate(['server']);
    findings.push({ ...place, severity: 'error', code: 'empty', message: 'server must not be empty.' });
  }
  return {
    policy: listOf(policy),
    ...(catalog === undefined ? {} : { catalog }),
    ...(command === undefined || catalog !== undefined ? {} : { server: command }),
    tests: tests.map(readTest),
    findings: [...source.findings, ...findings, ...contradictions(tests, locate)],
    locate,
  };
}

function readTest(test: TestDocument, index: number): PolicyTest {
  const { name = `test ${index + 1}`, concerns, claims = {}, client } = test;
  return {
    name,
    path: ['tests', index],
    ...(concerns === undefined || concerns === NONE ? {} : { concerns }),
    claims,
    ...(client?.capabilities === undefined ? {} : { capabilities: client.capabilities }),
    expects: Object.fromEntries(
      KINDS.flatMap((kind) => {
        const expected = test[kind];
        return expected === undefined ? [] : [[kind, readExpectation(expected)]];
      }),
    ),
  };
}

function readExpectation({
  includes = [],
  excludes = [],
  only,
  count,
}: NonNullable<TestDocument[Kind]>): Expectation {
  return {
    includes: listOf(includes),
    excludes: listOf(excludes),
    ...(only === undefined ? {} : { only: listOf(only) }),
    ...(count === undefined ? {} : { count }),
  };
}

/** What no schema can say: names that two tests have, and tests that can never pass. */
function contradictions(tests: readonly TestDocument[], locate: Source['locate']): Finding[] {
  const findings: Finding[] = [];
  const report = (path: Path, message: string): void => {
    findings.push({ ...locate(path), severity: 'error', code: 'duplicate', message });
  };
  const first = new Map<string, Path>();
  tests.forEach((test, index) => {
    const path = ['tests', index, 'name'];
    const earlier = first.get(test.name ?? '');
    if (test.name !== undefined && earlier !== undefined) {
      const { line } = locate(earlier);
      report(
        path,
        `The test "${test.name}" is written twice, here and in line ${line}; give one another name.`,
      );
    } else if (test.name !== undefined) first.set(test.name, path);
    for (const kind of KINDS) {
      const { includes, excludes, only } = readExpectation(test[kind] ?? {});
      excludes.forEach((name, at) => {
        const both = includes.includes(name) ? 'includes' : only?.includes(name) ? 'only' : undefined;
        if (both === undefined) return;
        const message = `"${name}" is in ${both} and in excludes, so the test can never pass; take one out.`;
        report(['tests', index, kind, 'excludes', at], message);
      });
    }
  });
  return findings;
}

const listOf = (texts: string | readonly string[]): readonly string[] =>
  typeof texts === 'string' ? [texts] : texts;

/** Splits a command at spaces, as a shell does, quotes kept together; nothing else of a shell is understood. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
