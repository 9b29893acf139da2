import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { preparePolicy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import type { LivePolicy } from '../../protocol/request/live-policy.js';
import { findingsText } from '../terminal/findings-text.js';
import { paperOf } from '../terminal/output.js';

/** Milliseconds to wait after the last change, because editors write a file in several steps. */
const QUIET_MS = 100;

/**
 * Reloads a policy whenever one of its files is saved. If the new policy has errors, they are printed, and the old policy
 * stays in effect.
 *
 * @param paths the policy, as for `readPolicy`
 * @param live the current policy
 * @param note writes a line to stderr
 * @param paper how text is written to stderr
 * @returns a function that ends the watching
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
          `${findingsText(findings, texts, paper)}\n\nThe saved policy has errors. The old policy stays in effect until they are fixed.`,
        );
      }
      const policy = preparePolicy(compiled);
      if (policy.digest === live.current.digest) return;
      live.replace(policy);
      note('The saved policy is in effect.');
      follow([...texts.keys()]);
    } catch (cause) {
      note(`${cause instanceof Error ? cause.message : cause} The old policy stays in effect.`);
    }
  };
  // Watches folders, because an editor that replaces a file would end a watch of that file.
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
