import {
  type ConcernWarning,
  type Configuration,
  describeConfiguration,
  describeOrigins,
  type Origin,
} from '../../engine/configuration.js';
import type { HiddenCounts } from '../../engine/hidden.js';
import type { Era } from '../messages/wire.js';

/** How many primitives of a list the client does not get, by reason. */
export interface HiddenReport extends HiddenCounts {
  /** Primitives that the configuration shows and the client's own filter leaves out. */
  readonly filter?: number;
}

/** What happened to one request of a client, for a log. It contains neither arguments nor results. */
export interface GateReport {
  readonly method: string;
  readonly era: Era;
  /** The configuration: the values in effect, in the words of the policy. */
  readonly concerns?: object;
  /** The preference source of each concern, by name. It includes denied concerns, which have no value. */
  readonly sources?: Readonly<Record<string, Origin>>;
  readonly shown?: number;
  readonly total?: number;
  /** The counts add up to `total - shown`. Omitted if that is 0. */
  readonly hidden?: HiddenReport;
  readonly warnings?: readonly ConcernWarning[];
  /** The code of the JSON-RPC error that the gate answered with. */
  readonly error?: number;
  /**
   * The method of a request or notification that `enforce` did not let pass, because no filter knows the method or because
   * the message is malformed. Under `shadow`, the method that `enforce` would not let pass.
   */
  readonly refused?: string;
}

/** Receives reports about requests. */
export interface Reporter {
  readonly report: (report: GateReport) => void;
}

/** Discards reports. With this function, reports are not even built. */
export const NO_REPORT = (): void => undefined;

/** Reports the configuration of a request, its warnings and, for a list, how much the client was shown. */
export function reportConcerns(
  scope: Reporter,
  { method, era }: { readonly method: string; readonly era: Era },
  configuration: Configuration,
  warnings: readonly ConcernWarning[],
  { hidden = {}, ...counts }: Pick<GateReport, 'shown' | 'total' | 'hidden'> = {},
): void {
  if (scope.report === NO_REPORT) return;
  const concerns = describeConfiguration(configuration);
  const sources = describeOrigins(configuration);
  scope.report({
    method,
    era,
    concerns,
    ...(isEmpty(sources) ? {} : { sources }),
    ...counts,
    ...(isEmpty(hidden) ? {} : { hidden }),
    warnings,
  });
}

const isEmpty = (counts: object): boolean => Object.keys(counts).length === 0;

/** Returns a warning with the name of the store's error only: its message may contain host names and keys. */
export function storeWarning(operation: 'read' | 'written', cause: unknown): ConcernWarning {
  const reason = cause instanceof Error ? cause.name : 'unknown';
  return { code: 'store-unavailable', message: `The session store could not be ${operation} (${reason}).` };
}
