import { existsSync, statSync } from 'node:fs';
import { IDENTITY, identityOf } from '../../core/engine/mapping.js';
import { KINDS, type Kind } from '../../core/engine/policy.js';
import { parseExact } from '../../core/exact-json.js';
import { itemsOf } from '../../core/gate/request/whole-list.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { EXTENSION_ID, isMembers, read } from '../../core/wire/messages.js';
import { CliError, cannotRead } from '../errors.js';
import { readJson } from '../terminal/read-text.js';

/** The data of a catalog file besides the primitives. */
export type CatalogFile = PolicyCatalog & {
  readonly server?: unknown;
  readonly capabilities?: object | undefined;
  /** The protocol version that was spoken to the server, if it was asked just now. */
  readonly protocol?: string | undefined;
  /** Where the catalog comes from, and its license, if it was not fetched from a server. */
  readonly source?: unknown;
  readonly license?: unknown;
  /** The SDK that fetched the catalog. */
  readonly sdk?: unknown;
  /** In a catalog of facts: the encoding of the `tokens` of its primitives. */
  readonly encoding?: string | undefined;
};

/**
 * @param policy the path of a policy
 * @returns the catalog that `init` and the GitHub Action put beside it; undefined if there is none
 * @example
 * catalogBeside('policies/vault.yaml'); // 'policies/vault.catalog.json'
 */
export function catalogBeside(policy: string): string | undefined {
  const file = policy.replace(/\.ya?ml$/, '.catalog.json');
  return file !== policy && existsSync(file) ? file : undefined;
}

/**
 * Reads a catalog file: the output of "mcp-concerns list --save", or any JSON object with lists such as `tools`.
 *
 * @param path the file
 * @returns the catalog, and the facts about the server in the file
 * @throws {CliError} if the file cannot be read, or is not a catalog
 * @example
 * const { tools = [] } = readCatalogFile('policies/vault.catalog.json');
 */
export function readCatalogFile(path: string): CatalogFile {
  const advice = 'Check the path of the catalog.';
  // A test file of a stranger can name it. To read a pipe would wait for somebody who writes into it.
  if (existsSync(path) && !statSync(path).isFile())
    throw cannotRead(path, 'it is not a regular file', advice);
  const data = readJson(path, advice, () => `${path} is not JSON. ${CREATE}`, parseExact);
  if (!isMembers(data) || !KINDS.some((kind) => read(data, kind) !== undefined)) {
    const hint = Array.isArray(data) ? 'Put the list into {"tools": [...]}.' : CREATE;
    throw new CliError(`${path} is not a catalog: it has none of ${KINDS.join(', ')}. ${hint}`);
  }
  const fields: Readonly<Record<string, unknown>> = { ...data };
  const { server, source, license, sdk, instructions, encoding } = fields;
  const { capabilities, isFiltered, unavailable, unlisted, leftOut } = fields;
  const catalog: { [K in Kind]?: ReturnType<typeof itemsOf> } = {};
  for (const kind of KINDS) {
    const list = read(data, kind);
    if (list === undefined) continue;
    const items = itemsOf(kind, data);
    if (items === undefined) throw new CliError(`${path} is not a catalog: ${kind} is not a list.`);
    const nameless = items.findIndex((item) => identityOf(kind, item) === '');
    const total = Array.isArray(list) ? list.length : 0;
    if (nameless !== -1 || items.length !== total) {
      const which = nameless === -1 ? 'an entry' : `entry ${nameless + 1}`;
      throw new CliError(`${path} is not a catalog: ${which} of ${kind} has no ${IDENTITY[kind]}.`);
    }
    const uncounted = items.find((item) => !Number.isInteger(read(item, 'tokens')));
    if (encoding !== undefined && uncounted !== undefined) {
      const id = JSON.stringify(identityOf(kind, uncounted));
      throw new CliError(`${path} has an encoding, but no token count for ${id}. Take the snapshot again.`);
    }
    catalog[kind] = items;
  }
  return {
    server,
    source,
    license,
    sdk,
    ...(isMembers(capabilities) ? { capabilities } : {}),
    // `init` keeps no capabilities.
    ...(isFiltered === true ? { isFiltered } : filteringOf(capabilities)),
    ...(isMembers(unavailable) ? { unavailable: textsIn(unavailable) } : {}),
    ...(isMembers(leftOut) ? { leftOut: listsIn(leftOut) } : {}),
    ...(isMembers(unlisted) ? { unlisted: textsIn(unlisted) } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(typeof encoding === 'string' ? { encoding } : {}),
    ...catalog,
  };
}

/** @returns the catalog of a file, if there is one */
export const catalogAt = (path: string | undefined): CatalogFile | undefined =>
  path === undefined ? undefined : readCatalogFile(path);

/**
 * @param capabilities what a server declares in its answer to `initialize`
 * @returns whether it filters its lists with this package, as a part of its catalog
 * @example
 * filteringOf({ extensions: { 'io.github.mcp-concerns/concerns': {} } }); // { isFiltered: true }
 */
export const filteringOf = (capabilities: unknown): Pick<PolicyCatalog, 'isFiltered'> =>
  read(capabilities, 'extensions', EXTENSION_ID) === undefined ? {} : { isFiltered: true };

const textsIn = (members: object): Record<string, string> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));

/** The same of lists of texts. */
const listsIn = (members: object): Record<string, readonly string[]> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, [value].flat().map(String)]));

const CREATE = 'Create a catalog with "mcp-concerns list --save".';
