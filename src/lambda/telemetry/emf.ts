import type { Count } from './metrics.js';

/**
 * Creates a writer of metrics in the embedded metric format of CloudWatch, which costs no request: CloudWatch reads the
 * metrics from the lines of the log. The package is imported here and nowhere else, and only by functions with metrics. A
 * static import would be loaded by every function whose bundle is one file.
 *
 * @param namespace the namespace of the metrics
 * @param serviceName the dimension `service` of each metric
 * @returns a function that writes the metrics of one event; rejects if the package is not installed
 */
export async function createWriter(
  namespace: string,
  serviceName: string,
): Promise<(counts: readonly Count[]) => void> {
  const { Metrics, MetricUnit } = await import('@aws-lambda-powertools/metrics');
  const metrics = new Metrics({ namespace, serviceName });
  return (counts) => {
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
