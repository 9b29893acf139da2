import { createWriter } from './emf.js';
import type { Counts } from './metrics.js';

/** Events that are kept until the package is loaded. Lambda loads it before the first event arrives. */
const MAX_WAITING = 100;

/** What metrics need. */
interface MetricsOptions {
  /** The namespace of the metrics; `undefined` if none are written. */
  readonly namespace: string | undefined;
  /** The dimension `service` of each metric. */
  readonly service: string;
  /** Called if the package for metrics cannot be loaded. */
  readonly warn: (message: string) => void;
}

/**
 * Adds metrics to a function that writes events, and starts to load the package for metrics. If it is not installed, no
 * metrics are written, and a warning says what to do: a function must not fail because of its metrics.
 *
 * @param write writes an event
 * @param count counts an event
 * @param options the namespace, and the service
 * @returns a function that writes an event and its metrics
 */
export function withMetrics<Event>(
  write: (event: Event) => void,
  count: (event: Event) => Counts,
  { namespace, service, warn }: MetricsOptions,
): (event: Event) => void {
  if (namespace === undefined) return write;
  let waiting: Counts[] = [];
  let writeMetrics: ((counts: Counts) => void) | undefined;
  createWriter(namespace, service).then(
    (created) => {
      writeMetrics = created;
      for (const counts of waiting) created(counts);
      waiting = [];
    },
    (cause: unknown) => {
      writeMetrics = () => undefined;
      waiting = [];
      const why = cause instanceof Error ? cause.message : String(cause);
      warn(
        `MCP_CONCERNS_METRICS is set, but @aws-lambda-powertools/metrics cannot be loaded, so no metrics are written (${why}). Run "npm install @aws-lambda-powertools/metrics", and package the function again.`,
      );
    },
  );
  return (event) => {
    write(event);
    const counts = count(event);
    if (writeMetrics !== undefined) writeMetrics(counts);
    else if (waiting.length < MAX_WAITING) waiting.push(counts);
  };
}
