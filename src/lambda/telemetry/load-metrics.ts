import { createWriter } from './emf.js';
import type { Counts } from './metrics.js';

/** Events that are kept until the package is loaded. Lambda loads it before the first event arrives. */
const MAX_WAITING = 100;

/**
 * Starts to load the package for metrics. If it is not installed, no metrics are written, and a warning says what to do:
 * a function must not fail because of its metrics.
 *
 * @param namespace the namespace of the metrics
 * @param serviceName the dimension `service` of each metric
 * @param warn called if the package cannot be loaded
 * @returns a function that writes metrics
 */
export function loadMetrics(
  namespace: string,
  serviceName: string,
  warn: (message: string) => void,
): (counts: Counts) => void {
  let waiting: Counts[] = [];
  let write: ((counts: Counts) => void) | undefined;
  createWriter(namespace, serviceName).then(
    (created) => {
      write = created;
      for (const counts of waiting) write(counts);
      waiting = [];
    },
    (cause: unknown) => {
      write = () => undefined;
      waiting = [];
      const why = cause instanceof Error ? cause.message : String(cause);
      warn(
        `MCP_CONCERNS_METRICS is set, but @aws-lambda-powertools/metrics cannot be loaded, so no metrics are written (${why}). Run "npm install @aws-lambda-powertools/metrics", and package the function again.`,
      );
    },
  );
  return (counts) => {
    if (write !== undefined) write(counts);
    else if (waiting.length < MAX_WAITING) waiting.push(counts);
  };
}
