import type { WriteLog } from './request-log.js';

/** Where an SDK of OpenTelemetry registers itself: https://github.com/open-telemetry/opentelemetry-js/tree/main/api */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * Makes a span of each request, if an SDK has registered itself before. The span is made when the request is over, from the
 * same fields as the line of the log, so nothing waits for it. The package is imported only then: its import takes 21 ms, and
 * other packages install it without an SDK.
 *
 * @returns receives the requests; `undefined` without an SDK
 * @example
 * const spans = await spansOf();
 * spans?.(entry);
 */
export async function spansOf(): Promise<WriteLog | undefined> {
  if (Reflect.get(globalThis, REGISTERED) === undefined) return undefined;
  const { spanWriter } = await import('./span-writer.js');
  return spanWriter();
}
