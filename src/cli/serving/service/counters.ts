import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Count } from '../../../core/telemetry/counts.js';
import { CliError } from '../../errors.js';

/** Counts in the text format of Prometheus. */
export interface Counters {
  count(counts: readonly Count[]): void;
  /** Names the policy in effect. */
  policy(digest: string, label: string | undefined): void;
  /** The port, which the system selects if 0 was given. */
  readonly port: number;
  close(): void;
}

/** Names in Prometheus: base units, and `_total` for what only grows. */
const COUNTERS = {
  Calls: ['mcp_requests_total', 'JSON-RPC requests.'],
  Errors: ['mcp_request_errors_total', 'Requests that failed on the side of the server.'],
  Degraded: [
    'mcp_requests_degraded_total',
    'Requests that were refused, or showed less, because the session store failed.',
  ],
  ToolErrors: ['mcp_tool_errors_total', 'Tool calls whose tool reported a failure.'],
  Shown: ['mcp_primitives_shown_total', 'Primitives that lists showed.'],
  Hidden: ['mcp_primitives_hidden_total', 'Primitives that lists hid.'],
  UpstreamDown: ['mcp_upstream_failures_total', 'Failures of the server behind the endpoint.'],
  UpstreamRestarts: ['mcp_upstream_restarts_total', 'Restarts of the server behind the endpoint.'],
  PolicyFailures: ['mcp_policy_failures_total', 'Looks at the policy that found none that can be used.'],
} as const;

const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Serves counts at `/metrics` of a port of their own: names of concerns are not for everybody who may use the endpoint. No
 * label names a caller, a session, or what a client sent: each would be a series without an end.
 *
 * @param port the port, on all addresses
 * @throws {CliError} if `prom-client` is not installed, or the port cannot be used
 * @example
 * const counters = await openCounters(9464);
 * counters.count([{ name: 'Calls', value: 1 }]);
 */
export async function openCounters(port: number): Promise<Counters> {
  // The package is CommonJS: not every loader finds its names.
  const { default: client } = await import('prom-client').catch((cause) => {
    throw new CliError('--metrics needs the package prom-client. Run "npm install prom-client".', { cause });
  });
  const { Counter, Gauge, Histogram, Registry } = client;
  const registry = new Registry();
  const registers = [registry];
  const counters = new Map(
    Object.entries(COUNTERS).map(([key, [name, help]]) => [key, new Counter({ name, help, registers })]),
  );
  const hidden = new Counter({
    name: 'mcp_primitives_hidden_by_total',
    help: 'Primitives that lists hid, by concern or rule.',
    labelNames: ['by', 'name'],
    registers,
  });
  const duration = new Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'Duration of HTTP requests.',
    buckets: SECONDS,
    registers,
  });
  const info = new Gauge({
    name: 'mcp_policy_info',
    help: 'The policy in effect.',
    labelNames: ['digest', 'label'],
    registers,
  });
  const server = createServer(async ({ url }, response) => {
    if (url !== '/metrics') return response.writeHead(404).end();
    response.setHeader('content-type', registry.contentType).end(await registry.metrics());
  }).listen(port);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(
      `Port ${port} cannot be used for --metrics (${cause.code}). Choose another port for --metrics.`,
      { cause },
    );
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    count(counts) {
      for (const { name, value, by } of counts) {
        if (name === 'Duration') duration.observe(value / 1000);
        else if (by === undefined) counters.get(name)?.inc(value);
        else hidden.inc({ by: by.dimension, name: by.name }, value);
      }
    },
    policy(digest, label = '') {
      info.reset();
      info.set({ digest, label }, 1);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
