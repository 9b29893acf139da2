import { Logger } from '@aws-lambda-powertools/logger';
import { KINDS } from '../engine/policy.js';
import type { GateReport } from '../protocol/scope.js';
import { LISTS, METHODS } from '../protocol/wire.js';

/** One HTTP request as the log tells it. */
export interface RequestLog {
  readonly requestId: string;
  readonly httpMethod: string;
  readonly status: number;
  readonly durationMs: number;
  readonly reports: readonly GateReport[];
  /** What was thrown, if the request ended with that. */
  readonly failure?: unknown;
}

export type WriteLog = (entry: RequestLog) => void;

/** Methods that a log line may name. What else a client writes there is its own text, and not to be kept. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  ...Object.values(METHODS),
  ...KINDS.map((kind) => LISTS[kind].method),
  'ping',
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
]);

/**
 * Writes one structured line for each JSON-RPC request: who was shown how much, under which concerns, in what time.
 * Arguments, results, tokens and header values are never part of it.
 *
 * @param logger a Powertools Logger; the level, service name and sampling come from its environment variables
 * @returns a function that writes the lines of one HTTP request
 * @example
 * createLambdaHandler({ server, policy, log: createLog(new Logger({ serviceName: 'vault' })) });
 */
export function createLog(logger: Logger = new Logger({ serviceName: 'mcp-concerns' })): WriteLog {
  return ({ requestId, httpMethod, status, durationMs, reports, failure }) => {
    const common = { requestId, era: 'legacy', httpMethod, status, durationMs };
    if (failure !== undefined) logger.error('request failed', { ...common, error: asError(failure) });
    else if (reports.length === 0) logger.info('request', common);
    for (const { method, warnings = [], ...told } of reports) {
      const line = { ...common, method: KNOWN_METHODS.has(method) ? method : 'other', ...told };
      if (warnings.length === 0) logger.info('request', line);
      else logger.warn('request', { ...line, warnings: warnings.map(({ code }) => code) });
    }
  };
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error('A value that is no Error was thrown.');
}
