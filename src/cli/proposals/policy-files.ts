import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { byKind, type Policy } from '../../core/engine/policy.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { formatOwnYaml } from '../../core/policy/language/format-yaml.js';
import { policySchema } from '../../core/policy/language/schema.js';
import { writeFirstTests } from '../../core/policy/testing/first-tests.js';
import { testFileSchema } from '../../core/policy/testing/test-schema.js';
import { read } from '../../core/wire/messages.js';
import { CliError } from '../errors.js';
import type { CatalogFile } from '../inputs/catalog-file.js';
import { primitiveFacts } from '../inputs/primitive-facts.js';
import { ENCODING, type TokenCounter } from '../inputs/token-counter.js';
import type { PolicyChange } from '../terminal/write-policy.js';

/** The paths of the files that belong together. */
export type PolicyFiles = Readonly<Record<'policy' | 'tests' | 'catalog' | 'lock', string>>;

/** The texts of files, by path, and what is said about them. */
export interface WrittenFiles {
  readonly texts: ReadonlyMap<string, string>;
  /** The changes of policies that exist; their texts are not among the others. */
  readonly changes: readonly PolicyChange[];
  readonly notes: readonly string[];
}

/** @returns the paths of the files that belong to a policy, as `init` writes them */
export function filesBeside(policy: string): PolicyFiles {
  const stem = policy.replace(/\.ya?ml$/, '');
  return {
    policy,
    tests: `${stem}.test.yaml`,
    lock: `${stem}.lock.yaml`,
    catalog: `${stem}.catalog.json`,
  };
}

/** @throws {CliError} if one of the files exists */
export function refuseToOverwrite(
  files: readonly string[],
  advice = 'Pass another file with -o, or --force',
): void {
  const existing = files.filter((file) => existsSync(file));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  throw new CliError(`${existing.join(' and ')} already ${verb}. ${advice} to overwrite.`);
}

/** @returns what the catalog file keeps of a server, exactly as it will be read again */
export function factsOf(
  catalog: CatalogFile,
  tokensOf: TokenCounter,
): PolicyCatalog & { server?: unknown; encoding: string } {
  const lists = byKind((kind) => catalog[kind]?.map((each) => primitiveFacts(kind, each, tokensOf(each))));
  const { isFiltered, unlisted, unavailable, leftOut } = catalog;
  const server = versionOf(catalog.server);
  return JSON.parse(
    JSON.stringify({ server, isFiltered, unlisted, unavailable, leftOut, encoding: ENCODING, ...lists }),
  );
}

/** @returns the tests that record what a policy does now */
export function testsText(files: PolicyFiles, policy: Policy, catalog: PolicyCatalog): string {
  const path = relative(dirname(files.tests), files.catalog).replaceAll('\\', '/');
  const schema = schemaBeside(files.policy, 'test.schema.json').path;
  const names = { schema, policy: basename(files.policy), catalog: path };
  return formatOwnYaml(writeFirstTests(policy, catalog, names));
}

/** The schemas that editors use, by the names of their files, with their titles. */
export const SCHEMAS: Readonly<Record<'schema.json' | 'test.schema.json', string>> = {
  'schema.json': policySchema.title,
  'test.schema.json': testFileSchema.title,
};

/** Where the schema of a file is. */
export interface SchemaPlace {
  /** The path of the schema beside the policy. */
  readonly beside: string;
  /** The path in the comment for editors at the top of the policy. */
  readonly path: string;
  /** Whether there is no file beside the policy yet. */
  readonly missing: boolean;
}

/** @returns the schema beside the policy; the one in the package if another file has that name */
export function schemaBeside(policy: string, file: string): SchemaPlace {
  const beside = join(dirname(policy), file);
  if (!existsSync(beside)) return { beside, path: `./${file}`, missing: true };
  let found: unknown;
  try {
    found = read(JSON.parse(readFileSync(beside, 'utf8')), 'title');
  } catch {
    // The file is not JSON, so it is not our schema.
  }
  const path = found === read(SCHEMAS, file) ? `./${file}` : `node_modules/mcp-concerns/policies/${file}`;
  return { beside, path, missing: false };
}

/** @returns the name of a server with its version; `undefined` if it has no name */
export function serverName(server: unknown): string | undefined {
  if (typeof server === 'string') return server;
  const { name, version } = versionOf(server) ?? {};
  if (typeof name !== 'string') return undefined;
  return typeof version === 'string' ? `${name} ${version}` : name;
}

function versionOf(server: unknown): { name?: unknown; version?: unknown } | undefined {
  if (typeof server !== 'object' || server === null) return undefined;
  return { name: read(server, 'name'), version: read(server, 'version') };
}
