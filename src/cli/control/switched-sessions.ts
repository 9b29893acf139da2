import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionStore } from '../../core/session/store.js';
import { sha256Of } from '../../core/sha256.js';
import { stateFolder, writePrivate } from '../project/state-folder.js';

/** As long as the preferences hold that are sealed in a session id. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Remembers which sessions of this user were switched or ended. Their ids still say what the host preferred first, which may
 * show more: another process must not continue them. A mark is a file without content, named by a digest.
 *
 * @param store the sessions of this process
 * @param environment the variables of the process
 * @returns the store, for which a session is `ended` that was switched or ended in another process
 * @example
 * markSwitches(createMemoryStore(), process.env);
 */
export function markSwitches(store: SessionStore, environment: NodeJS.ProcessEnv): SessionStore {
  const folder = join(stateFolder(environment), 'switched');
  const markOf = (id: string): string => join(folder, sha256Of(JSON.stringify([id])));
  const mark = (id: string): void => writePrivate(markOf(id), '');
  removeOld(folder);
  return {
    async read(id) {
      const found = await store.read(id);
      return found.state === 'unknown' && existsSync(markOf(id)) ? { state: 'ended' } : found;
    },
    async update(id, change) {
      const isChoice = change.concerns !== undefined || change.model !== undefined;
      // The first preferences, those of `initialize`, are in the id. Only they are stored together with what the server announces.
      // Marked before it is stored: nothing may be lost.
      if (isChoice && change.listChanged === undefined) mark(id);
      return store.update(id, change);
    },
    async end(id) {
      mark(id);
      await store.end(id);
    },
  };
}

function removeOld(folder: string): void {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder).map((name) => join(folder, name))) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}
