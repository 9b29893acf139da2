import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseExact } from '../../core/exact-json.js';
import { sha256Of } from '../../core/sha256.js';
import { isMembers, read } from '../../core/wire/messages.js';
import type { CatalogKeeper, SavedCatalog } from '../../proxy/early/start.js';
import { stateFolder, writePrivate } from '../project/state-folder.js';

/**
 * Keeps what servers list for the next start, in the folder of this user's state. A server that is started in another way is
 * another server.
 *
 * @param environment the variables of the process
 * @param identity what decides which server it is: its command and folder, its URL, or its file and name there
 * @returns the keeper, which never throws: without a catalog, the server is waited for
 * @example
 * catalogKeeper(process.env, ['node', 'server.js', process.cwd()]).read();
 */
export function catalogKeeper(environment: NodeJS.ProcessEnv, identity: readonly string[]): CatalogKeeper {
  const digest = sha256Of(JSON.stringify(identity));
  const file = join(stateFolder(environment), 'catalogs', `${digest}.json`);
  return {
    read() {
      try {
        const found: unknown = parseExact(readFileSync(file, 'utf8'));
        return isCatalog(found) ? found : undefined;
      } catch {
        return undefined;
      }
    },
    write(catalog) {
      try {
        writePrivate(file, JSON.stringify(catalog));
      } catch {
        // A folder that cannot be written costs the next start its time, and nothing else.
      }
    },
  };
}

/** Variables that differ from one terminal or session to the next, and say nothing of a server. */
const OF_SESSION =
  /^(_|PWD|OLDPWD|SHLVL|TERM.*|COLORTERM|COLUMNS|LINES|SHELL|TMPDIR|WINDOWID|DISPLAY|WAYLAND_.*|XDG_(SESSION|RUNTIME|VTNR|SEAT).*|SSH_.*|DBUS_.*|TMUX.*|STY|INVOCATION_ID|JOURNAL_STREAM|npm_.*|VSCODE_.*|ITERM_.*|CLAUDE.*|CURSOR_.*)$/;

/**
 * Returns a digest of the variables that a server inherits: the same command lists other things for another account.
 *
 * @param environment the variables of this process
 */
export const settingsOf = (environment: NodeJS.ProcessEnv): string =>
  sha256Of(
    JSON.stringify(
      Object.entries(environment)
        .filter(([name]) => !OF_SESSION.test(name))
        .sort(),
    ),
  );

const isCatalog = (found: unknown): found is SavedCatalog =>
  isMembers(read(found, 'about', 'capabilities')) && isMembers(read(found, 'lists'));
