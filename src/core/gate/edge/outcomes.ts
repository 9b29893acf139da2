import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import {
  ACCESS_METHODS,
  eraOf,
  errorOf,
  isNotification,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type Request,
  type RequestId,
  read,
} from '../../wire/messages.js';
import type { Target } from '../request/decision.js';
import type {
  Arrival,
  GateReport,
  Report,
  ReportContext,
  ReportedTarget,
  ReportedTrace,
  Timing,
} from '../request/report.js';
import { KINDS_OF, targetOf } from '../table/routing.js';

/** A request without an answer yet, and what is to be reported about it. */
interface Pending {
  readonly request: Request;
  readonly target: Target | undefined;
  report: GateReport;
  readonly began: number;
  readonly arrival: Arrival | undefined;
  told: Pick<ReportContext, 'waits' | 'storeFailures'>;
}

/** More requests than this wait for an answer only if a client attacks. Others are then reported without their outcome. */
const MAX_PENDING = 10_000;

/**
 * Reports each request once, when its answer leaves: what the gate reported about it meanwhile, and the outcome. It works on
 * the messages at the transport, so it also sees the outcome of requests that pass by the gate.
 */
export class Outcomes {
  private readonly pending = new Map<RequestId, Pending>();

  /**
   * @param send receives the reports
   * @param names the names that reports may contain
   * @param probe the method of probes, which are not requests of a client
   * @param arrived returns the HTTP request that a request arrived in, where the connection lasts longer
   */
  constructor(
    private readonly send: (report: GateReport, timing?: Timing, arrival?: Arrival) => void,
    private readonly names: KnownNames,
    private readonly probe: string | undefined,
    private readonly arrived?: (id: RequestId) => Arrival | undefined,
  ) {}

  /** Must be called with each message of the client before it is handled. */
  received(message: Message, policy: Policy): void {
    if (isNotification(message)) {
      const id = message.method === METHODS.cancelled ? message.params?.requestId : undefined;
      // An id can have any JSON type.
      if (id !== undefined) this.finish(id as RequestId, { unanswered: 'cancelled' });
      return;
    }
    if (!isRequest(message) || message.method === this.probe) return;
    // A client must not use an id twice. If it does, the later request gets the outcome.
    this.finish(message.id, {});
    const target = targetOf(message);
    const trace = traceOf(read(message.params, '_meta', 'traceparent'));
    if (target !== undefined && isMapped(policy, target)) this.names.add(target.name);
    const { method } = message;
    const report = {
      method,
      era: eraOf(message),
      ...ofPolicy(policy),
      ...(trace === undefined ? {} : { trace }),
    };
    const arrival = this.arrived?.(message.id);
    const began = arrival?.at ?? performance.now();
    if (this.pending.size < MAX_PENDING)
      this.pending.set(message.id, { request: message, target, report, began, arrival, told: {} });
    else this.send(report, undefined, arrival);
  }

  /** Receives a report of the gate. One that belongs to no request is sent at once. */
  readonly told: Report = (report, { id, policy, list, listedName, ...told }: ReportContext = {}) => {
    if (list !== undefined) this.names.learn(list.kind, list.items);
    if (listedName !== undefined) this.names.add(listedName);
    const pending = id === undefined ? undefined : this.pending.get(id);
    if (pending === undefined) return this.send(report);
    pending.told = { ...pending.told, ...told };
    const warnings = [...(pending.report.warnings ?? []), ...(report.warnings ?? [])];
    const merged = { ...pending.report, ...report, ...(policy === undefined ? {} : ofPolicy(policy)) };
    pending.report = warnings.length === 0 ? merged : { ...merged, warnings };
  };

  /** Must be called with each message for the client. */
  sent(message: Message): void {
    if (!isResponse(message)) return;
    const { id } = message;
    if (id === undefined || id === null) return;
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    if ('error' in message) return this.finish(id, { error: errorOf(message).code });
    const failed = pending.request.method === ACCESS_METHODS.call && read(message.result, 'isError') === true;
    this.finish(id, failed ? { isError: true } : {});
  }

  /** Must be called when the connection closes: requests without an answer will not get one. */
  closed(): void {
    // A stream is not answered before it closes.
    for (const [id, { request }] of [...this.pending])
      this.finish(id, request.method === METHODS.listen ? {} : { unanswered: 'closed' });
  }

  /** Also called when the response to a request ends without an answer, for which its client comes back. */
  finish(id: RequestId, outcome: Pick<GateReport, 'error' | 'isError' | 'unanswered'>): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.pending.delete(id);
    const { target, report, began, arrival } = pending;
    const { waits = {}, storeFailures = [] } = pending.told;
    const durationMs = Math.round((performance.now() - began) * 10) / 10;
    // A server that answers a call has the tool.
    const answered = Object.keys(outcome).length === 0;
    if (target !== undefined && target.type !== 'uri' && answered) this.names.add(target.name);
    const known = target === undefined ? {} : { target: this.known(target) };
    const failed = storeFailures.length === 0 ? {} : { storeFailures };
    this.send({ ...report, ...known, ...outcome }, { durationMs, waits, ...failed }, arrival);
  }

  private known({ type, name }: Target): ReportedTarget {
    return this.names.has(name) ? { type, name } : { type };
  }
}

const ofPolicy = ({ digest, label }: Policy): Pick<GateReport, 'policy' | 'policyLabel'> =>
  label === undefined ? { policy: digest } : { policy: digest, policyLabel: label };

function isMapped({ entries }: Policy, { type, name }: Target): boolean {
  return KINDS_OF[type].some((kind) => entries[kind].has(name));
}

/** Reads a trace parent, as SEP-414 puts it into `_meta`: https://www.w3.org/TR/trace-context/#traceparent-header */
function traceOf(traceparent: unknown): ReportedTrace | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 100) return undefined;
  const [, traceId, spanId, flags = '00'] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, ...(isSampled ? { isSampled } : {}) };
}

/** Of a server with more names than this, not all are known: the memory is bounded. */
const MAX_NAMES = 20_000;
const MAX_LENGTH = 256;

/**
 * The names that reports may contain. Names of a server's catalog are not secret, but a client can send anything as a name,
 * for example a password. A name is known if the policy or a list of the server has it, or if the server answered a
 * request with it. The URI of a resource is known only in the first two cases, because a URI can contain arguments.
 *
 * Connections that share this object share what they learned.
 */
export class KnownNames {
  private readonly names = new Set<string>();
  private readonly lists = new WeakSet<object>();

  /** Remembers the names of a list of the server. */
  learn(kind: Kind, items: readonly Primitive[]): void {
    if (this.lists.has(items)) return;
    this.lists.add(items);
    for (const item of items) this.add(identityOf(kind, item));
  }

  add(name: string): void {
    if (this.names.size < MAX_NAMES && name.length <= MAX_LENGTH) this.names.add(name);
  }

  has(name: string): boolean {
    return this.names.has(name);
  }
}
