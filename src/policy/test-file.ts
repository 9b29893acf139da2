import { nearest } from '../engine/nearest.js';
import { KINDS, type Kind } from '../engine/policy.js';
import type { Finding, FindingCode } from './findings.js';
import type { Path, Source } from './read.js';

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
}

const FILE_KEYS = ['policy', 'catalog', 'server', 'tests'];
const TEST_KEYS = ['name', 'concerns', 'claims', 'client', ...KINDS];
const EXPECTATION_KEYS = ['includes', 'excludes', 'only', 'count'];
/** What stands for a host that never spoke of concerns. */
const NONE = 'none';

/**
 * Reads a file of policy tests. What does not fit is a finding, and the rest is read on.
 *
 * @param source the file, as `readPolicyText` gives it
 * @returns its tests, and what is wrong with it
 * @example
 * const { tests, findings } = readTestFile(readPolicyText(text, 'policies/vault.test.yaml'));
 */
export function readTestFile(source: Source): TestFile {
  const findings: Finding[] = [...source.findings];
  if (source.data === undefined) return { policy: [], tests: [], findings };
  const reader = new Reader(source, findings);
  const file = reader.mapping(source.data, [], 'a test file', FILE_KEYS);
  if (file === undefined) return { policy: [], tests: [], findings };

  const policy = file.policy === undefined ? [] : (reader.texts(file.policy, ['policy']) ?? []);
  if (file.policy === undefined) {
    reader.report([], 'missing-key', 'A test file needs the key "policy": the policy that it tests.');
  }
  const { catalog, server } = file;
  if ((catalog === undefined) === (server === undefined)) {
    const message =
      catalog === undefined
        ? 'A test file needs either "catalog", a file of primitives, or "server", a command.'
        : 'A test file has either "catalog" or "server"; take one out.';
    if (catalog === undefined) reader.report([], 'missing-key', message);
    else reader.report(['server'], 'duplicate', message, 'key');
  }
  const path = catalog === undefined ? undefined : reader.text(catalog, ['catalog']);
  const command =
    typeof server === 'string'
      ? splitWords(server)
      : server === undefined
        ? undefined
        : reader.texts(server, ['server']);
  if (command?.length === 0) reader.report(['server'], 'empty', 'server must not be empty.');
  return {
    policy,
    ...(path === undefined ? {} : { catalog: path }),
    ...(command === undefined || path !== undefined ? {} : { server: command }),
    tests: readTests(reader, file.tests),
    findings,
  };
}

function readTests(reader: Reader, given: unknown): PolicyTest[] {
  if (given === undefined) reader.report([], 'missing-key', 'A test file needs the key "tests": a list.');
  const list = given === undefined ? [] : reader.list(given, ['tests']);
  if (given !== undefined && list?.length === 0) {
    reader.report(['tests'], 'empty', 'tests must not be empty.');
  }
  const first = new Map<string, Path>();
  return (list ?? []).flatMap((each, index) => {
    const path = ['tests', index];
    const test = reader.mapping(each, path, 'a test', TEST_KEYS);
    if (test === undefined) return [];
    const name = test.name === undefined ? undefined : reader.text(test.name, [...path, 'name']);
    if (test.name === undefined) {
      reader.report(path, 'missing-key', 'A test needs the key "name": one sentence for its report.');
    }
    const earlier = first.get(name ?? '');
    if (name !== undefined && earlier !== undefined) {
      const { line } = reader.source.locate(earlier);
      const message = `The test "${name}" is written twice, here and in line ${line}; give one another name.`;
      reader.report([...path, 'name'], 'duplicate', message);
    } else if (name !== undefined) first.set(name, [...path, 'name']);
    const expects = Object.fromEntries(
      KINDS.flatMap((kind) => {
        if (test[kind] === undefined) return [];
        const expectation = readExpectation(reader, test[kind], [...path, kind], kind);
        return expectation === undefined ? [] : [[kind, expectation]];
      }),
    );
    if (!KINDS.some((kind) => test[kind] !== undefined)) {
      reader.report(path, 'missing-key', `The test expects nothing; add one of ${KINDS.join(', ')}.`);
    }
    return [{ name: name ?? `test ${index + 1}`, path, ...readCaller(reader, test, path), expects }];
  });
}

function readCaller(
  reader: Reader,
  { concerns, claims, client }: Readonly<Record<string, unknown>>,
  path: Path,
): Pick<PolicyTest, 'concerns' | 'claims' | 'capabilities'> {
  const at = [...path, 'client'];
  const asked =
    concerns === undefined || typeof concerns === 'string'
      ? concerns
      : reader.mapping(concerns, [...path, 'concerns'], 'concerns');
  const known = claims === undefined ? {} : reader.mapping(claims, [...path, 'claims'], 'claims');
  const told = client === undefined ? {} : reader.mapping(client, at, 'client', ['capabilities']);
  const capabilities =
    told?.capabilities === undefined
      ? undefined
      : reader.mapping(told.capabilities, [...at, 'capabilities'], 'capabilities');
  return {
    ...(asked === undefined || asked === NONE ? {} : { concerns: asked }),
    claims: known ?? {},
    ...(capabilities === undefined ? {} : { capabilities }),
  };
}

function readExpectation(reader: Reader, given: unknown, path: Path, kind: Kind): Expectation | undefined {
  const found = reader.mapping(given, path, kind, EXPECTATION_KEYS);
  if (found === undefined) return undefined;
  const { count } = found;
  const names = (key: 'includes' | 'excludes' | 'only'): string[] | undefined =>
    found[key] === undefined ? undefined : reader.texts(found[key], [...path, key]);
  const [includes = [], excludes = [], only] = [names('includes'), names('excludes'), names('only')];
  if (Object.keys(found).length === 0) {
    reader.report(path, 'empty', `${kind} expects nothing; add one of ${EXPECTATION_KEYS.join(', ')}.`);
  }
  const counts = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  if (count !== undefined && !counts) {
    reader.report([...path, 'count'], 'wrong-type', 'count must be a whole number, 0 or more.');
  }
  excludes.forEach((name, index) => {
    const both = includes.includes(name) ? 'includes' : only?.includes(name) ? 'only' : undefined;
    if (both === undefined) return;
    const message = `"${name}" is in ${both} and in excludes, so the test can never pass; take one out.`;
    reader.report([...path, 'excludes', index], 'duplicate', message);
  });
  return {
    includes,
    excludes,
    ...(only === undefined ? {} : { only }),
    ...(counts ? { count } : {}),
  };
}

/** Takes parts of a file that have the type that they should; everything else is a finding. */
class Reader {
  constructor(
    readonly source: Source,
    private readonly findings: Finding[],
  ) {}

  report(path: Path, code: FindingCode, message: string, what?: 'key' | 'value'): void {
    this.findings.push({ ...this.source.locate(path, what), severity: 'error', code, message });
  }

  mapping(
    data: unknown,
    path: Path,
    what: string,
    known?: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      this.wrong(path, data, what, 'a mapping');
      return undefined;
    }
    for (const key of known === undefined ? [] : Object.keys(data)) {
      if (known?.includes(key)) continue;
      const near = nearest(key, known ?? []);
      const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
      const message = `"${key}" is no key of ${what} (${known?.join(', ')})${hint}`;
      this.report([...path, key], 'unknown-key', message, 'key');
    }
    return data as Readonly<Record<string, unknown>>;
  }

  list(data: unknown, path: Path): readonly unknown[] | undefined {
    if (Array.isArray(data)) return data;
    this.wrong(path, data, String(path.at(-1)), 'a list');
    return undefined;
  }

  text(data: unknown, path: Path): string | undefined {
    if (typeof data === 'string' && data !== '') return data;
    if (data === '') this.report(path, 'empty', `${path.at(-1)} must not be empty.`);
    else this.wrong(path, data, path.filter((step) => typeof step === 'string').at(-1) ?? '', 'text');
    return undefined;
  }

  /** One text, or a list of them. */
  texts(data: unknown, path: Path): string[] | undefined {
    if (typeof data === 'string') return [data];
    return this.list(data, path)?.flatMap((each, index) => this.text(each, [...path, index]) ?? []);
  }

  private wrong(path: Path, data: unknown, what: string, wanted: string): void {
    const scalar = data === null || typeof data === 'number' || typeof data === 'boolean';
    if (scalar && wanted === 'text') {
      const kind = data === null ? 'null' : typeof data;
      const message = `${data} is a ${kind} in YAML; write "${data ?? '~'}" in quotes for the text.`;
      this.report(path, 'unquoted', message);
    } else this.report(path, 'wrong-type', `${what} must be ${wanted}.`);
  }
}

/** Splits a command at spaces, as a shell does, quotes kept together; nothing else of a shell is understood. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
