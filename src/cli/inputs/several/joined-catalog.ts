import { byKind } from '../../../core/engine/policy.js';
import { outsideEntry, slugOf } from '../../../core/engine/servers/outside-names.js';
import type { PolicyCatalog } from '../../../core/policy/check/servers/own-catalog.js';
import type { TestFile } from '../../../core/policy/testing/test-file.js';

/**
 * Reads the catalog that a test file names. Those of several servers become one, with the names that hosts see.
 *
 * @param named the path of the catalog, or the path of each by the key of its server
 * @param readCatalog reads one of them
 * @returns `undefined` if the test file names none, or one of them cannot be read
 * @example
 * joinedCatalog({ files: 'files.catalog.json' }, readCatalogFile)?.tools?.[0]?.name; // 'files__write'
 */
export function joinedCatalog(
  named: TestFile['catalog'],
  readCatalog: (path: string) => PolicyCatalog | undefined,
): PolicyCatalog | undefined {
  if (named === undefined) return undefined;
  if (typeof named === 'string') return readCatalog(named);
  const servers = Object.entries(named).map(([key, path]) => ({ slug: slugOf(key), own: readCatalog(path) }));
  if (servers.some(({ own }) => own === undefined)) return undefined;
  const lists = byKind((kind) =>
    servers.flatMap(({ slug, own }) => (own?.[kind] ?? []).map((each) => outsideEntry(slug, kind, each))),
  );
  // One catalog of facts leaves the texts of its server unknown.
  return { ...lists, encoding: servers.find(({ own }) => own?.encoding)?.own?.encoding };
}
