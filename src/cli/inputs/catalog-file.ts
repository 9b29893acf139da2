import { readFileSync } from 'node:fs';
import { IDENTITY, identityOf } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import { itemsOf } from '../../protocol/lists/filter-list.js';
import { read } from '../../protocol/messages/wire.js';
import { CliError } from '../errors.js';

/** What a catalog holds beside the primitives. */
export interface CatalogFile {
  readonly server?: unknown;
  readonly capabilities?: object | undefined;
  /** Where a catalog comes from that no server gave, and on what terms. */
  readonly source?: unknown;
  readonly license?: unknown;
  /** What took the snapshot. */
  readonly sdk?: unknown;
  /** Of a catalog of facts: the encoding that the `tokens` of its primitives were counted in. */
  readonly encoding?: string | undefined;
}

/**
 * Reads a catalog: a server's surface as "mcp-concerns snapshot" writes it, or any JSON object with lists of that kind.
 *
 * @param path the file
 * @returns its primitives, and what it says of the server
 * @throws {CliError} if it cannot be read or is no catalog
 * @example
 * const { tools = [] } = readCatalogFile('policies/vault.catalog.json');
 */
export function readCatalogFile(path: string): PolicyCatalog & CatalogFile {
  const data = parse(path);
  if (!isObject(data) || !KINDS.some((kind) => read(data, kind) !== undefined)) {
    const hint = Array.isArray(data) ? '; put the list into {"tools": [...]}' : '';
    throw new CliError(
      `${path} is no catalog: it has none of ${KINDS.join(', ')}${hint || '; make one with "mcp-concerns snapshot"'}.`,
    );
  }
  const [instructions, capabilities, encoding] = ['instructions', 'capabilities', 'encoding'].map((name) =>
    read(data, name),
  );
  const surface: { [K in Kind]?: ReturnType<typeof itemsOf> } = {};
  for (const kind of KINDS) {
    const list = read(data, kind);
    if (list === undefined) continue;
    const items = itemsOf(kind, data);
    if (items === undefined) throw new CliError(`${path} is no catalog: ${kind} is no list.`);
    const nameless = items.findIndex((item) => identityOf(kind, item) === '');
    if (nameless !== -1 || items.length !== (list as unknown[]).length) {
      const which = nameless === -1 ? 'an entry' : `entry ${nameless + 1}`;
      throw new CliError(`${path} is no catalog: ${which} of ${kind} has no ${IDENTITY[kind]}.`);
    }
    const uncounted = items.find((item) => !Number.isInteger(read(item, 'tokens')));
    if (encoding !== undefined && uncounted !== undefined) {
      const id = JSON.stringify(identityOf(kind, uncounted));
      throw new CliError(`${path} has an encoding, but no tokens of ${id}; take the snapshot again.`);
    }
    surface[kind] = items;
  }
  return {
    server: read(data, 'server'),
    source: read(data, 'source'),
    license: read(data, 'license'),
    sdk: read(data, 'sdk'),
    ...(isObject(capabilities) ? { capabilities } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(typeof encoding === 'string' ? { encoding } : {}),
    ...surface,
  };
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : code;
    throw new CliError(`${path} cannot be read (${reason}); check the path of the catalog.`);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new CliError(`${path} is no JSON; make a catalog with "mcp-concerns snapshot".`);
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
