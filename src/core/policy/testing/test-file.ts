import { byKind, KINDS, type Kind } from '../../engine/policy.js';
import type { Finding } from '../language/findings.js';
import { findingAt, type Problem, problem } from '../language/problem.js';
import type { Path, Source } from '../language/read-yaml.js';
import type { Language } from '../language/schema-messages.js';
import { validateSource } from '../language/validate.js';
import { validate } from './generated/test-file-validator.js';
import { type TestDocument, type TestFileDocument, testFileSchema } from './test-schema.js';

/** What a test expects of the primitives of one kind. */
export interface Expectation {
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  /** These primitives are shown, and all others of the kind are hidden. */
  readonly only?: readonly string[];
  readonly count?: number;
}

/** One test: the preferences of a host, its claims and capabilities, and what the host must see. */
export interface PolicyTest {
  readonly name: string;
  /** The path of the test in its file, such as `['tests', 0]`. */
  readonly path: Path;
  /** The preferences of the host, or the name of a preset. Absent for a host without preferences. */
  readonly concerns?: Readonly<Record<string, unknown>> | string;
  /** The verified claims of the caller. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** What the client says about itself. Absent if nothing is known. */
  readonly client?: NonNullable<TestDocument['client']>;
  /** The era of the protocol. Absent if it is not known. */
  readonly era?: 'legacy' | 'modern';
  readonly expects: { readonly [K in Kind]?: Expectation | undefined };
}

/** A test file. Parts that do not fit the schema are left out, with a finding for each. */
export interface TestFile {
  /** The paths of the policies, which are merged. */
  readonly policy: readonly string[];
  /** The path of the catalog; of several servers, the path of each by its key. */
  readonly catalog?: string | Readonly<Record<string, string>>;
  /** The command that starts a server, and its arguments. */
  readonly server?: readonly string[];
  readonly tests: readonly PolicyTest[];
  readonly findings: readonly Finding[];
  /** Locates a path of a test, as `Source.locate` does. It allows for list entries that were left out. */
  locate: Source['locate'];
}

/** The word in `concerns` for a host without preferences. */
const NONE = 'none';

const TESTS: Language = { schema: testFileSchema, name: 'a test file' };

/**
 * Reads a file of policy tests. Each part that does not fit the schema becomes a finding, and reading goes on after it.
 *
 * @param source the file, from `readPolicyText`
 * @returns the tests that could be read, and a finding for each problem
 * @example
 * const { tests, findings } = readTestFile(readPolicyText(text, 'policies/vault.test.yaml'));
 */
export function readTestFile(source: Source): TestFile {
  if (source.data === undefined) {
    return { policy: [], tests: [], findings: source.findings, locate: source.locate };
  }
  // A test without its name is kept, so that the rest of it is checked in the same run.
  const { data, findings, locate } = validateSource(source, TESTS, validate, () => true);
  const { policy = [], catalog, server, tests = [] } = (data ?? {}) as TestFileDocument;
  const command = typeof server === 'string' ? splitWords(server) : server;
  if (command?.length === 0)
    findings.push(findingAt(locate(['server']), 'error', problem('empty.part', { name: 'server' })));
  return {
    policy: [policy].flat(),
    ...(catalog === undefined ? {} : { catalog }),
    ...(command === undefined || catalog !== undefined ? {} : { server: command }),
    tests: tests.map(readTest),
    findings: [...source.findings, ...findings, ...contradictions(tests, locate)],
    locate,
  };
}

function readTest(test: TestDocument, index: number): PolicyTest {
  const { name = `test ${index + 1}`, concerns, claims = {}, client, protocol } = test;
  return {
    name,
    path: ['tests', index],
    ...(concerns === undefined || concerns === NONE ? {} : { concerns }),
    claims,
    ...(client === undefined ? {} : { client }),
    ...(protocol?.era === undefined ? {} : { era: protocol.era }),
    expects: byKind((kind) => test[kind] && readExpectation(test[kind])),
  };
}

function readExpectation({
  includes = [],
  excludes = [],
  only,
  count,
}: NonNullable<TestDocument[Kind]>): Expectation {
  return {
    includes: [includes].flat(),
    excludes: [excludes].flat(),
    ...(only === undefined ? {} : { only: [only].flat() }),
    ...(count === undefined ? {} : { count }),
  };
}

/** Finds contradictions that a JSON Schema cannot express: two tests of the same name, and tests that can never pass. */
function contradictions(tests: readonly TestDocument[], locate: Source['locate']): Finding[] {
  const findings: Finding[] = [];
  const report = (path: Path, found: Problem): void => {
    findings.push(findingAt(locate(path), 'error', found));
  };
  const first = new Map<string, Path>();
  tests.forEach((test, index) => {
    const path = ['tests', index, 'name'];
    const { name } = test;
    const earlier = first.get(name ?? '');
    if (name !== undefined && earlier !== undefined) {
      report(path, problem('duplicate.test', { name, line: locate(earlier).line }));
    } else if (name !== undefined) first.set(name, path);
    for (const kind of KINDS) {
      const { includes, excludes, only } = readExpectation(test[kind] ?? {});
      excludes.forEach((name, at) => {
        const key = includes.includes(name) ? 'includes' : only?.includes(name) ? 'only' : undefined;
        if (key === undefined) return;
        report(['tests', index, kind, 'excludes', at], problem('duplicate.contradiction', { name, key }));
      });
    }
  });
  return findings;
}

/**
 * Splits a command at spaces and keeps quoted parts together. It supports no other shell syntax.
 *
 * @example
 * splitWords('node "my server.js"'); // ['node', 'my server.js']
 */
export function splitWords(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
