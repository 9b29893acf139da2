import type { CompiledPolicy, Policy } from '../../core/engine/policy.js';
import type { LivePolicy } from '../../core/gate/request/live-policy.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import { CliError } from '../errors.js';
import { FileWatcher, placeOf, stampOf } from '../inputs/watch-files.js';
import { findingsText, firstError } from '../terminal/findings-text.js';
import type { Paper } from '../terminal/output.js';
import { lostParts } from './lost-parts.js';
import type { Operations } from './service/operations.js';

/** Milliseconds for which a file must stand still if the new policy lacks parts of the old one: it may be half written. */
const STANDS_STILL_MS = 5000;

/** Milliseconds for which size and time of change of all files must stay the same before they are read. */
const UNCHANGED_MS = 250;

/** Milliseconds until a policy that cannot be used counts again: an alarm must not sleep while nobody saves it. */
const COUNTS_AGAIN_MS = 20_000;

/** The policy to replace, and how a saved one is prepared. */
export interface Reloading {
  /** The current policy. */
  readonly live: LivePolicy;
  /** The names of all servers behind the endpoint, if it has several. */
  readonly servers?: readonly string[] | undefined;
  readonly prepare: (compiled: CompiledPolicy) => Policy;
  /** Is told what becomes of a saved policy. */
  readonly operations: Pick<Operations, 'note' | 'policy' | 'policyInEffect'>;
  /** How text is written to stderr. */
  readonly paper: Paper;
}

/** The files of a policy, which are watched. */
export interface WatchedPolicy {
  /** Reads the files again if they have changed. */
  look(): void;
  close(): void;
}

/**
 * Reloads a policy whenever one of its files is saved, or a link leads to another one. If the new policy has errors, the old
 * policy stays in effect. It also stays if parts of it are missing, or the line break at the end of a file, until a second look
 * finds the same files: half a file of YAML is often a policy, too. A link leads to files that are complete, so nothing is
 * waited for there. And the old policy stays while its lock file is missing.
 *
 * @param paths the policy, as for `readPolicy`
 * @param reloading the policy to replace, and how a saved one is prepared
 * @returns the files
 * @example
 * const watched = watchPolicy(['policy.yaml'], { live, prepare: preparePolicy, operations, paper });
 */
export function watchPolicy(
  paths: readonly string[],
  { live, servers, prepare, operations, paper }: Reloading,
): WatchedPolicy {
  const readAgain = () => readPolicy(paths, undefined, undefined, servers);
  const first = readAgain();
  let inForce = first.compiled;
  let { texts: read } = first;
  const placesOf = (texts: ReadonlyMap<string, string>) => [...texts.keys()].map(placeOf).join('\n');
  let places = placesOf(read);
  let stamp = '';
  let confirmedAt = performance.now();
  let secondLook: NodeJS.Timeout | undefined;
  let countAgain: NodeJS.Timeout | undefined;
  /** Tells why the old policy stays, and counts it until a policy can be used again. */
  const keep = (error: string, text: string): void => {
    const tell = (told?: string): void => {
      const ageSeconds = Math.round((performance.now() - confirmedAt) / 1000);
      operations.policy(
        { outcome: 'kept', policy: live.current.digest, ageSeconds, error: new CliError(error) },
        told,
      );
    };
    clearInterval(countAgain);
    countAgain = setInterval(tell, COUNTS_AGAIN_MS).unref();
    tell(text);
  };
  const confirm = (): void => {
    clearInterval(countAgain);
    confirmedAt = performance.now();
  };
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
        return keep(
          firstError(findings),
          `${findingsText(findings, texts, paper)}\n\nThe saved policy has errors. The old policy stays in effect until they are fixed.`,
        );
      }
      // Nobody reviewed what the policy would show without its pins, however long the lock file is missing.
      if (inForce?.pins !== undefined && compiled.pins === undefined && compiled.settings.changed !== 'show')
        return keep(
          'The lock file is missing.',
          'The lock file is missing. The old policy stays in effect. Run "mcp-concerns pin", or set "changed: show".',
        );
      const policy = prepare(compiled);
      if (policy.digest === live.current.digest) return confirm();
      const isCut = ([file, text]: readonly [string, string]) =>
        read.get(file)?.endsWith('\n') && !text.endsWith('\n');
      const ends = [...texts].filter(isCut);
      const [lost, ...more] = [
        ...(inForce === undefined ? [] : lostParts(inForce, compiled)),
        ...ends.map(([file]) => `the line break at the end of ${file}`),
      ];
      const isWholeSwap = placesOf(read) !== places;
      if (lost !== undefined && looked !== compiled.digest && !isWholeSwap) {
        secondLook = setTimeout(() => reload(compiled.digest), STANDS_STILL_MS).unref();
        const others = more.length === 0 ? '' : ` and ${more.length} more`;
        return operations.note(
          `The saved policy lacks ${lost}${others}, so it may be half written. The old policy stays in effect. If the files do not change for ${STANDS_STILL_MS / 1000} seconds, the saved policy takes effect.`,
        );
      }
      inForce = compiled;
      read = texts;
      places = placesOf(texts);
      const was = live.current.digest;
      live.replace(policy);
      confirm();
      const { digest, label } = policy;
      operations.policyInEffect(digest, label);
      operations.policy(
        {
          outcome: 'replaced',
          policy: digest,
          before: was,
          ...(label === undefined ? {} : { policyLabel: label }),
        },
        `The saved policy is in effect (digest ${digest}).`,
      );
      watcher.follow(texts.keys());
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause);
      keep(error, `${error} The old policy stays in effect.`);
    }
  };
  const watcher = new FileWatcher(() => reload());
  watcher.follow(first.texts.keys());
  // It was saved after it was read for its servers, and before it is watched.
  if (first.compiled !== undefined && prepare(first.compiled).digest !== live.current.digest) reload();
  return {
    look: () => watcher.look(),
    close() {
      clearTimeout(secondLook);
      clearInterval(countAgain);
      watcher.close();
    },
  };
}
