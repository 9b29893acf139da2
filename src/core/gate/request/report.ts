import {
  type ConcernWarning,
  type Configuration,
  describeConfiguration,
  describeModel,
  describeOrigins,
  describeSwitched,
  type Origin,
} from '../../engine/configuration.js';
import type { Decision } from '../../engine/evaluate.js';
import { type HiddenCounts, isEmpty } from '../../engine/hidden.js';
import type { Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { Era, RequestId } from '../../wire/messages.js';

/** How many primitives of a list the client does not get, by reason. */
export interface HiddenReport extends HiddenCounts {
  /** Primitives that the configuration shows and the client's own filter leaves out. */
  readonly filter?: number;
}

/** The primitive that a request names. */
export interface ReportedTarget {
  readonly type: 'tool' | 'prompt' | 'uri';
  /** The name or URI; omitted if the server is not known to have it, because a client can send a secret as a name. */
  readonly name?: string;
}

/** The ids of the trace that a request belongs to, in the form of W3C Trace Context. */
export interface ReportedTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the client says that its own part of the trace is recorded. */
  readonly isSampled?: boolean;
}

/** What happened to one request of a client, for a log. It contains neither arguments nor results. */
export interface GateReport {
  readonly method: string;
  readonly era: Era;
  /** The era that is spoken to the server behind the endpoint. */
  readonly serverEra?: Era | undefined;
  /** Whether a server was not up, so that the answer can come from what it listed when it was up last. */
  readonly early?: boolean | undefined;
  /** Which of several servers the target belongs to. */
  readonly server?: string | undefined;
  /** The digest of the policy that decided. */
  readonly policy?: string;
  /** What its author calls it. */
  readonly policyLabel?: string | undefined;
  readonly target?: ReportedTarget;
  /** The decision of the access check about the target. */
  readonly decision?: Decision;
  readonly trace?: ReportedTrace;
  /** The configuration: the values in effect, in the words of the policy, and tools that the person switched one by one. */
  readonly concerns?: object;
  /** The preference source of each concern, by name. It includes denied concerns, which have no value. */
  readonly sources?: Readonly<Record<string, Origin>>;
  /** The values that a model has set, also where they apply beside the person's value. */
  readonly model?: object;
  readonly shown?: number;
  readonly total?: number;
  /** The counts add up to `total - shown`. Omitted if that is 0. */
  readonly hidden?: HiddenReport;
  readonly warnings?: readonly ConcernWarning[];
  /** The code of the JSON-RPC error that the client got, from the server or from the gate. */
  readonly error?: number;
  /** Whether the tool itself reported a failure. */
  readonly isError?: boolean;
  /** Why the request has no answer: the client cancelled it, or the connection ended before. */
  readonly unanswered?: 'cancelled' | 'closed';
  /**
   * The method of a request or notification that `enforce` did not let pass, because no filter knows the method or because
   * the message is malformed. Under `shadow`, the method that `enforce` would not let pass.
   */
  readonly refused?: string;
  /** The argument because of which a call was refused; empty if the tool does not declare it. Never its value. */
  readonly argument?: string;
}

/** How long a request took. Not in its report: the same request has the same report. */
export interface Timing {
  /** Milliseconds from the arrival of the request to its answer. */
  readonly durationMs: number;
  /** For what the gate waited meanwhile. */
  readonly waits: Readonly<Waits>;
  /** Why calls to the session store failed: for each, the code of the first cause, or its name. */
  readonly storeFailures?: readonly string[];
}

/** An HTTP request that JSON-RPC requests arrived in, on a connection that lasts longer. */
export interface Arrival {
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
  /** Receives the reports about its JSON-RPC requests, in place of the receiver of the connection. */
  readonly report?: ReceiveReport | undefined;
}

/** Receives a report about a request when its answer leaves, and how long it took. */
export type ReceiveReport = (report: GateReport, timing?: Timing) => void;

/** Milliseconds for which a request waited for each. */
export type Waits = { -readonly [P in 'store' | 'server' | 'person']?: number };

/** What the gate knows besides a report: to which request it belongs, and names that reports may contain. */
export interface ReportContext {
  /** The id that the client gave the request. */
  readonly id?: RequestId;
  /** The policy that the request is handled under. */
  readonly policy?: Policy;
  /** A list of the server. */
  readonly list?: { readonly kind: Kind; readonly items: readonly Primitive[] };
  /** The name of the request's target, if the server lists it. */
  readonly listedName?: string;
  /** For what the request waits, and which calls to the store failed. Both go on to change. */
  readonly waits?: Readonly<Waits>;
  readonly storeFailures?: readonly string[];
}

/** Receives a report about a request. */
export type Report = (report: GateReport, context?: ReportContext) => void;

/** Discards reports. With this function, reports are not even built. */
export const NO_REPORT = (): void => undefined;

/** How much of a list the client was shown. */
export type ListCounts = Pick<GateReport, 'shown' | 'total' | 'hidden'>;

/** Returns the part of a report about the configuration of a request, its warnings and, for a list, what was shown. */
export function describeConcerns(
  configuration: Configuration,
  warnings: readonly ConcernWarning[],
  { hidden = {}, ...counts }: ListCounts = {},
): Omit<GateReport, 'method' | 'era'> {
  const sources = describeOrigins(configuration);
  const model = describeModel(configuration);
  return {
    concerns: { ...describeConfiguration(configuration), ...describeSwitched(configuration) },
    ...(isEmpty(sources) ? {} : { sources }),
    ...(isEmpty(model) ? {} : { model }),
    ...counts,
    ...(isEmpty(hidden) ? {} : { hidden }),
    warnings,
  };
}

/** Returns a warning with the reason of the store's error only: its message may contain host names and keys. */
export const storeWarning = (operation: 'read' | 'written', cause: unknown): ConcernWarning => ({
  code: 'store-unavailable',
  message: `The session store could not be ${operation} (${reasonOf(cause)}).`,
});

/** Returns why a call of a store failed: the code of the first cause, or its name. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  const reason = 'code' in cause && typeof cause.code === 'string' ? cause.code : classOf(cause);
  return /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown';
}

/**
 * The errors of the AWS SDK have names; those of Node.js and of the client of Redis are all called "Error". Redis itself says a code
 * at the start of the message, such as `NOPERM`.
 */
function classOf(cause: Error): string {
  if (cause.name !== 'Error' && cause.name !== 'SimpleError') return cause.name;
  if (cause.constructor === Error) return cause.name;
  return /^[A-Z]{2,}(?= )/.exec(cause.message)?.[0] ?? cause.constructor.name;
}
