import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CompiledPolicy, Policy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import type { LivePolicy } from '../../protocol/request/live-policy.js';
import { findingsText } from '../terminal/findings-text.js';
import type { Paper } from '../terminal/output.js';

/** Milliseconds to wait after the last change, because editors write a file in several steps. */
const QUIET_MS = 100;

/** The policy to replace, and how a saved one is prepared. */
export interface Reloading {
  /** The current policy. */
  readonly live: LivePolicy;
  readonly prepare: (compiled: CompiledPolicy) => Policy;
  /** Writes a line to stderr. */
  readonly note: (text: string) => void;
  /** How text is written to stderr. */
  readonly paper: Paper;
}

/**
 * Reloads a policy whenever one of its files is saved. If the new policy has errors, they are printed, and the old policy
 * stays in effect.
 *
 * @param paths the policy, as for `readPolicy`
 * @param reloading the policy to replace, and how a saved one is prepared
 * @returns a function that ends the watching
 * @example
 * const stop = watchPolicy(['policy.yaml'], { live, prepare: preparePolicy, note: console.error, paper });
 */
export function watchPolicy(paths: readonly string[], { live, prepare, note, paper }: Reloading): () => void {
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
      const policy = prepare(compiled);
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
