import type { Decision } from '../engine/evaluate.js';
import type { GateReport, Timing } from '../gate/request/report.js';
import { ROUTES } from '../gate/table/routes.js';
import { METHODS } from '../wire/messages.js';
import { decisionIdOf } from './decision-id.js';
import { errorClassOf } from './error-class.js';

/** Methods that a log may name. Any other text that a client sends as a method is not logged. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  ...ROUTES.keys(),
  ...Object.values(METHODS),
  // Not a method of the protocol: reports that a saved catalog is out of date.
  'catalog',
]);

/** What a log writes in place of a name that the server is not known to have: a client can put any text there. */
export const UNLISTED = '(not in the catalog)';

/** The attributes of the semantic conventions for a target. */
const TARGET_FIELDS = {
  tool: 'gen_ai.tool.name',
  prompt: 'gen_ai.prompt.name',
  uri: 'mcp.resource.uri',
} as const;

/**
 * Turns a report into the fields of a log line. Where OpenTelemetry has an attribute, the field has its name:
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 *
 * @param report the report on one JSON-RPC request
 * @returns the fields
 */
export function reportFields(report: GateReport, timing?: Timing): Record<string, unknown> {
  const { method, era, policy, target, decision, trace, error, isError, unanswered, warnings = [] } = report;
  const { policyLabel, concerns, sources, model, shown, total, hidden, refused, serverEra, server } = report;
  const { argument } = report;
  const type = error === undefined ? (isError === true ? 'tool_error' : undefined) : String(error);
  const fields = withoutUndefined({
    'mcp.method.name': KNOWN_METHODS.has(method) ? method : 'other',
    era,
    serverEra,
    server,
    ...(target === undefined ? {} : { [TARGET_FIELDS[target.type]]: target.name ?? UNLISTED }),
    policy,
    policyLabel,
    concerns,
    sources,
    model,
    shown,
    total,
    hidden,
    ...(decision === undefined ? {} : decisionFields(decision)),
    'error.type': unanswered ?? type,
    'rpc.response.status_code': error?.toString(),
    errorClass: error === undefined ? undefined : errorClassOf(error),
    isError: isError === true ? true : undefined,
    refused,
    argument,
    trace_id: trace?.traceId,
    span_id: trace?.spanId,
    serverMs: rounded(timing?.waits.server),
    warnings: warnings.length === 0 ? undefined : warnings.map(({ code }) => code),
  });
  const decided = policy !== undefined && (shown !== undefined || decision !== undefined);
  return decided ? { ...fields, decision: decisionIdOf(fields) } : fields;
}

/** What a rule read is left out: it can contain claims. */
export function decisionFields({ effect, reason }: Decision): object {
  if (reason.code !== 'rule') return { effect, reason };
  const { code, rule, source, reason: text } = reason;
  return { effect, reason: { code, rule, source, ...(text === undefined ? {} : { reason: text }) } };
}

const rounded = (ms: number | undefined) => ms && Math.round(ms * 10) / 10;

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
