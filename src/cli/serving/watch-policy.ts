import type { CompiledPolicy, Policy } from '../../core/engine/policy.js';
import type { LivePolicy } from '../../core/gate/request/live-policy.js';
import type { PolicyReport } from '../../core/policy/compile/check-reading.js';
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

/** A policy as it was read from its files. */
interface ReadFiles {
  readonly compiled?: CompiledPolicy | undefined;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reloads a policy whenever one of its files is saved, or a link leads to another one. If the new policy has errors, the old
 * policy stays in effect. It also stays if parts of it are missing, or the line break at the end of a file, until a second look
 * finds the same files: half a file of YAML is often a policy, too. A link leads to files that are complete, so nothing is
 * waited for there. And the old policy stays while its lock file is missing.
 *
 * @example
 * const watched = new PolicyWatcher(['policy.yaml'], { live, prepare: preparePolicy, operations, paper });
 */
export class PolicyWatcher {
  private inForce: ReadFiles;
  /** Where the links to the files in force led when they were read. */
  private places: string;
  private stamp = '';
  private confirmedAt = performance.now();
  private secondLook: NodeJS.Timeout | undefined;
  private countAgain: NodeJS.Timeout | undefined;
  private readonly watcher = new FileWatcher(() => this.reload());

  /**
   * @param paths the policy, as for `readPolicy`
   * @param reloading the policy to replace, and how a saved one is prepared
   */
  constructor(
    private readonly paths: readonly string[],
    private readonly reloading: Reloading,
  ) {
    const { live, prepare } = reloading;
    this.inForce = this.readAgain();
    const { compiled, texts } = this.inForce;
    this.places = placesOf(texts);
    this.watcher.follow(texts.keys());
    // It was saved after it was read for its servers, and before it is watched.
    if (compiled !== undefined && prepare(compiled).digest !== live.current.digest) this.reload();
  }

  /** Reads the files again if they have changed. */
  look(): void {
    this.watcher.look();
  }

  close(): void {
    clearTimeout(this.secondLook);
    clearInterval(this.countAgain);
    this.watcher.close();
  }

  private readAgain(): PolicyReport {
    return readPolicy(this.paths, undefined, undefined, this.reloading.servers);
  }

  /** @param looked the digest of a policy that lacks parts, if this is the second look at it */
  private reload(looked?: string): void {
    clearTimeout(this.secondLook);
    const before = stampOf(this.inForce.texts.keys());
    if (before !== this.stamp) {
      this.stamp = before;
      return this.lookAgain(looked, UNCHANGED_MS);
    }
    try {
      const saved = this.readAgain();
      if (stampOf(this.inForce.texts.keys()) !== before) return this.reload(looked);
      this.consider(saved, looked);
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause);
      this.keep(error, `${error} The old policy stays in effect.`);
    }
  }

  private lookAgain(looked: string | undefined, afterMs: number): void {
    this.secondLook = setTimeout(() => this.reload(looked), afterMs).unref();
  }

  /** Puts a saved policy in effect, or says why the old one stays. */
  private consider({ compiled, findings, texts }: PolicyReport, looked: string | undefined): void {
    const { live, prepare, paper, operations } = this.reloading;
    if (compiled === undefined)
      return this.keep(
        firstError(findings),
        `${findingsText(findings, texts, paper)}\n\nThe saved policy has errors. The old policy stays in effect until they are fixed.`,
      );
    // Nobody reviewed what the policy would show without its pins, however long the lock file is missing.
    const hadPins = this.inForce.compiled?.pins !== undefined;
    if (hadPins && compiled.pins === undefined && compiled.settings.changed !== 'show')
      return this.keep(
        'The lock file is missing.',
        'The lock file is missing. The old policy stays in effect. Run "mcp-concerns pin", or set "changed: show".',
      );
    const policy = prepare(compiled);
    if (policy.digest === live.current.digest) return this.confirm();
    const [lost, ...more] = this.lostIn({ compiled, texts });
    const isWholeSwap = placesOf(this.inForce.texts) !== this.places;
    if (lost !== undefined && looked !== compiled.digest && !isWholeSwap) {
      this.lookAgain(compiled.digest, STANDS_STILL_MS);
      const others = more.length === 0 ? '' : ` and ${more.length} more`;
      return operations.note(
        `The saved policy lacks ${lost}${others}, so it may be half written. The old policy stays in effect. If the files do not change for ${STANDS_STILL_MS / 1000} seconds, the saved policy takes effect.`,
      );
    }
    this.replace(policy, { compiled, texts });
  }

  /** What the policy in force has and the saved one lacks. */
  private lostIn({ compiled, texts }: ReadFiles & { readonly compiled: CompiledPolicy }): readonly string[] {
    const { inForce } = this;
    const cut = [...texts].filter(
      ([file, text]) => inForce.texts.get(file)?.endsWith('\n') && !text.endsWith('\n'),
    );
    return [
      ...(inForce.compiled === undefined ? [] : lostParts(inForce.compiled, compiled)),
      ...cut.map(([file]) => `the line break at the end of ${file}`),
    ];
  }

  private replace(policy: Policy, saved: ReadFiles): void {
    const { live, operations } = this.reloading;
    const before = live.current.digest;
    this.inForce = saved;
    this.places = placesOf(saved.texts);
    live.replace(policy);
    this.confirm();
    const { digest, label } = policy;
    operations.policyInEffect(digest, label);
    operations.policy(
      {
        outcome: 'replaced',
        policy: digest,
        before,
        ...(label === undefined ? {} : { policyLabel: label }),
      },
      `The saved policy is in effect (digest ${digest}).`,
    );
    this.watcher.follow(saved.texts.keys());
  }

  /** Tells why the old policy stays, and counts it until a policy can be used again. */
  private keep(error: string, text: string): void {
    const { live, operations } = this.reloading;
    const tell = (told?: string): void => {
      const ageSeconds = Math.round((performance.now() - this.confirmedAt) / 1000);
      operations.policy(
        { outcome: 'kept', policy: live.current.digest, ageSeconds, error: new CliError(error) },
        told,
      );
    };
    clearInterval(this.countAgain);
    this.countAgain = setInterval(tell, COUNTS_AGAIN_MS).unref();
    tell(text);
  }

  private confirm(): void {
    clearInterval(this.countAgain);
    this.confirmedAt = performance.now();
  }
}

const placesOf = (texts: ReadonlyMap<string, string>): string => [...texts.keys()].map(placeOf).join('\n');
