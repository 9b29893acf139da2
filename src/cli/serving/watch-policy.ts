import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { preparePolicy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import type { LivePolicy } from '../../protocol/request/live-policy.js';
import { findingsText } from '../terminal/findings-text.js';
import { paperOf } from '../terminal/output.js';

/** Editors write a file in several steps; this long after the last one it is read. */
const QUIET_MS = 100;

/**
 * Puts a policy into force whenever one of its files is saved. A policy that is wrong is said to be, and the old one
 * stays in force, whole.
 *
 * @param paths the policy, as for `readPolicy`
 * @param live the policy in force
 * @param note tells the person at the terminal
 * @param paper what stderr can show
 * @returns a function that ends it
 * @example
 * const stop = watchPolicy(['policy.yaml'], live, console.error);
 */
export function watchPolicy(
  paths: readonly string[],
  live: LivePolicy,
  note: (text: string) => void,
  paper = paperOf(process.stderr, 'never'),
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = new Map<string, FSWatcher>();

  const reload = (): void => {
    try {
      const { compiled, findings, texts } = readPolicy(paths);
      if (compiled === undefined) {
        return note(
          `${findingsText(findings, texts, paper)}\n\nThe policy was saved with errors; the old one stays in force.`,
        );
      }
      const policy = preparePolicy(compiled);
      if (policy.digest === live.current.digest) return;
      live.replace(policy);
      note('The policy was saved, and is in force.');
      follow([...texts.keys()]);
    } catch (cause) {
      note(`${cause instanceof Error ? cause.message : cause} The old policy stays in force.`);
    }
  };
  // Folders, not files: an editor that writes a new file and renames it takes the watched one away.
  const follow = (files: readonly string[]): void => {
    for (const folder of new Set(files.map((file) => dirname(resolve(file))))) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, (_event, name) => {
        if (name !== null && !name.endsWith('.yaml')) return;
        clearTimeout(timer);
        timer = setTimeout(reload, QUIET_MS);
      });
      watchers.set(folder, watcher);
    }
  };

  follow([...readPolicy(paths).texts.keys()]);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
