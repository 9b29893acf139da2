import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { slugOf } from '../../../engine/servers/outside-names.js';
import { read } from '../../../wire/messages.js';
import { CliError } from '../../errors.js';
import { writeFiles } from '../../terminal/write-files.js';
import { jsonText } from '../../terminal/write-output.js';
import { readDocument, serversIn } from './servers-file.js';

/** The name of the one server that a host has then. */
const ADOPTED = 'concerns';

type Entries = Readonly<Record<string, unknown>>;

/** A host's file, and the file that keeps its servers. */
type HostFile = ReturnType<typeof readHostFile>;

/**
 * Reads a host's file.
 *
 * @param path the file
 * @returns which servers it has, and which file keeps those that were moved
 * @throws {CliError} if it is not such a file, or has a server of another kind under the name of ours
 * @example
 * readHostFile('.mcp.json').kept; // '.mcp.servers.json'
 */
export function readHostFile(path: string) {
  /** Has the servers: the host's file as it was, and what was added to it since. */
  const kept = join(dirname(path), basename(path).replace(/(\.json)?$/, '.servers.json'));
  // What is left is what the host starts itself now.
  const { [ADOPTED]: ours, ...own } = serversIn(readDocument(path)).entries;
  const isAdopted = existsSync(kept);
  if (ours === undefined || (isAdopted && isOurs(ours))) return { path, kept, isAdopted, own };
  throw new CliError(
    isOurs(ours)
      ? `${path} was adopted, and ${kept} is missing. Restore it, or write the servers into ${path}.`
      : `${path} has a server ${ADOPTED}, which is the name of ours. Rename it.`,
  );
}

const isOurs = (entry: unknown): boolean => [read(entry, 'args')].flat().includes('--servers');

/**
 * Moves servers of a host's file into the file beside it, and leaves one server in their place.
 *
 * @param file the host's file
 * @param moved the servers to move; the others stay
 * @param ours the server in their place
 */
export function moveServers(
  { path, kept, isAdopted, own }: HostFile,
  moved: readonly string[],
  ours: object,
): void {
  const stays = Object.entries(own).filter(([key]) => !moved.includes(key));
  const document = withServers(readDocument(path), { [ADOPTED]: ours, ...Object.fromEntries(stays) });
  if (!isAdopted) {
    // Byte for byte, so that nothing is lost that JSON does not tell.
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
    try {
      return writeFiles(new Map([[path, document]]));
    } catch (cause) {
      rmSync(kept);
      throw cause;
    }
  }
  const before = readDocument(kept);
  const added = Object.entries(own).filter(([key]) => moved.includes(key));
  const together = withServers(before, { ...serversIn(before).entries, ...Object.fromEntries(added) });
  writeFiles(
    new Map([
      [kept, together],
      [path, document],
    ]),
  );
}

/**
 * Gives a host its servers back: the bytes of its file, or, if something was added to it since, both.
 *
 * @returns whether something was added since
 * @throws {CliError} if nothing was moved
 */
export function restoreServers({ path, kept, isAdopted, own }: HostFile): boolean {
  if (!isAdopted) throw new CliError(`${path} was not adopted: there is no ${kept}.`);
  const [before, now] = [readDocument(kept), readDocument(path)];
  const { member, entries } = serversIn(before);
  const together = { ...before, ...now, [member]: { ...entries, ...own } };
  if (isDeepStrictEqual(together, before)) {
    renameSync(kept, path);
    return false;
  }
  writeFiles(new Map([[path, jsonText(together)]]));
  rmSync(kept);
  return true;
}

/** Returns how the permission rules of hosts change: they contain the name of the server as hosts know it. */
export const permissionChanges = (moved: readonly string[]): readonly string[] =>
  moved.map((key) => {
    const before = key.replace(/[^\w-]/g, '_');
    return `mcp__${before}__TOOL becomes mcp__${ADOPTED}__${slugOf(key)}__TOOL`;
  });

const withServers = (document: object, entries: Entries): string =>
  jsonText({ ...document, [serversIn(document).member]: entries });
