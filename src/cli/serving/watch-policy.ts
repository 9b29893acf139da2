import { statSync } from 'node:fs';
import type { CompiledPolicy, Policy } from '../../engine/policy.js';
import type { LivePolicy } from '../../gate/request/live-policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { FileWatcher } from '../inputs/watch-files.js';
import { findingsText } from '../terminal/findings-text.js';
import type { Paper } from '../terminal/output.js';
import { lostParts } from './lost-parts.js';

/** Milliseconds for which a file must stand still if the new policy lacks parts of the old one: it may be half written. */
const STANDS_STILL_MS = 5000;

/** Milliseconds for which size and time of change of all files must stay the same before they are read. */
const UNCHANGED_MS = 250;

/** The policy to replace, and how a saved one is prepared. */
export interface Reloading {
  /** The current policy. */
  readonly live: LivePolicy;
  /** The names of all servers behind the endpoint, if it has several. */
  readonly servers?: readonly string[] | undefined;
  readonly prepare: (compiled: CompiledPolicy) => Policy;
  /** Writes a line to stderr. */
  readonly note: (text: string) => void;
  /** How text is written to stderr. */
  readonly paper: Paper;
}

/**
 * Reloads a policy whenever one of its files is saved. If the new policy has errors, they are printed, and the old policy
 * stays in effect. It also stays if parts of it are missing, or the line break at the end of a file, until a second look finds
 * the same files: half a file of YAML is often a policy, too. And it stays while its lock file is missing.
 *
 * @param paths the policy, as for `readPolicy`
 * @param reloading the policy to replace, and how a saved one is prepared
 * @returns a function that ends the watching
 * @example
 * const stop = watchPolicy(['policy.yaml'], { live, prepare: preparePolicy, note: console.error, paper });
 */
export function watchPolicy(
  paths: readonly string[],
  { live, servers, prepare, note, paper }: Reloading,
): () => void {
  const readAgain = () => readPolicy(paths, undefined, undefined, servers);
  const first = readAgain();
  let inForce = first.compiled;
  let { texts: read } = first;
  let stamp = '';
  let secondLook: NodeJS.Timeout | undefined;
  const reload = (looked?: string): void => {
    clearTimeout(secondLook);
    const before = stampOf(read.keys());
    if (before !== stamp) {
      stamp = before;
      secondLook = setTimeout(() => reload(looked), UNCHANGED_MS).unref();
      return;
    }
    try {
      const { compiled, findings, texts } = readAgain();
      if (stampOf(read.keys()) !== before) return reload(looked);
      if (compiled === undefined) {
        return note(
          `${findingsText(findings, texts, paper)}\n\nThe saved policy has errors. The old policy stays in effect until they are fixed.`,
        );
      }
      // Nobody reviewed what the policy would show without its pins, however long the lock file is missing.
      if (inForce?.pins !== undefined && compiled.pins === undefined && compiled.settings.changed !== 'show')
        return note(
          'The lock file is missing. The old policy stays in effect. Run "mcp-concerns pin", or set "changed: show".',
        );
      const policy = prepare(compiled);
      if (policy.digest === live.current.digest) return;
      const isCut = ([file, text]: readonly [string, string]) =>
        read.get(file)?.endsWith('\n') && !text.endsWith('\n');
      const ends = [...texts].filter(isCut);
      const [lost, ...more] = [
        ...(inForce === undefined ? [] : lostParts(inForce, compiled)),
        ...ends.map(([file]) => `the line break at the end of ${file}`),
      ];
      if (lost !== undefined && looked !== compiled.digest) {
        secondLook = setTimeout(() => reload(compiled.digest), STANDS_STILL_MS).unref();
        const others = more.length === 0 ? '' : ` and ${more.length} more`;
        return note(
          `The saved policy lacks ${lost}${others}, so it may be half written. The old policy stays in effect. If the files do not change for ${STANDS_STILL_MS / 1000} seconds, the saved policy takes effect.`,
        );
      }
      inForce = compiled;
      read = texts;
      live.replace(policy);
      note('The saved policy is in effect.');
      watcher.follow(texts.keys());
    } catch (cause) {
      note(`${cause instanceof Error ? cause.message : cause} The old policy stays in effect.`);
    }
  };
  const watcher = new FileWatcher(() => reload());
  watcher.follow(first.texts.keys());
  return () => {
    clearTimeout(secondLook);
    watcher.close();
  };
}

/** Returns a text that changes if one of the files is written. */
function stampOf(files: Iterable<string>): string {
  const stats = [...files].map((file) => statSync(file, { throwIfNoEntry: false }));
  return stats.map((each) => `${each?.size} ${each?.mtimeMs}`).join();
}
