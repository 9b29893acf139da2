import type { Count } from '../telemetry/counts.js';

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
 * Adds metrics to a function that writes events, and starts to load the package for metrics: Lambda loads it before the first
 * event arrives. If it is not installed, no metrics are written, and a warning says what to do: a function must not fail
 * because of its metrics.
 *
 * Metrics have the embedded metric format of CloudWatch, which costs no request: CloudWatch reads them from the lines of the
 * log.
 *
 * @param write writes an event
 * @param count counts an event
 * @param options the namespace, and the service
 * @returns a function that writes an event and its metrics
 */
export function withMetrics<Event>(
  write: (event: Event) => void,
  count: (event: Event) => readonly Count[],
  { namespace, service, warn }: MetricsOptions,
): (event: Event) => void {
  if (namespace === undefined) return write;
  const writer = createWriter(namespace, service).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    warn(
      `MCP_CONCERNS_METRICS is set, but @aws-lambda-powertools/metrics cannot be loaded, so no metrics are written (${why}). Run "npm install @aws-lambda-powertools/metrics", and package the function again.`,
    );
    return () => undefined;
  });
  return (event) => {
    write(event);
    const counts = count(event);
    writer.then((writeMetrics) => writeMetrics(counts)).catch(() => undefined);
  };
}

/**
 * Creates a writer of the metrics of one event. The package is imported here and nowhere else, and only by functions with
 * metrics. A static import would be loaded by every function whose bundle is one file.
 */
async function createWriter(namespace: string, serviceName: string) {
  const { Metrics, MetricUnit } = await import('@aws-lambda-powertools/metrics');
  const metrics = new Metrics({ namespace, serviceName });
  return (counts: readonly Count[]): void => {
    if (counts.length === 0) return;
    for (const { name, value, by } of counts) {
      const unit = name === 'Duration' ? MetricUnit.Milliseconds : MetricUnit.Count;
      if (by === undefined) metrics.addMetric(name, unit, value);
    }
    metrics.publishStoredMetrics();
    for (const { name, value, by } of counts) {
      if (by === undefined) continue;
      metrics.singleMetric().addDimension(by.dimension, by.name).addMetric(name, MetricUnit.Count, value);
    }
  };
}
