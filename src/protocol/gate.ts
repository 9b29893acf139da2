import {
  type Carrier,
  type ConcernWarning,
  type Configuration,
  describeAccepted,
  describeConfiguration,
  type InvalidValue,
  resolveConfiguration,
} from '../engine/configuration.js';
import type { Primitive } from '../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../engine/policy.js';
import { type Selection, select } from '../engine/select.js';
import type { HostConcerns, SessionRead, SessionRecord } from '../session/store.js';
import { type HttpRequestInfo, readCarriers } from './carriers.js';
import { type AskServer, Catalogs } from './catalogs.js';
import { canChange, catalogOf, filterList, itemsOf, withWarnings } from './lists.js';
import { concernsOfInitialize, declareConcerns, describePolicy } from './negotiate.js';
import { type Preferences, readPreferences, updatePreferences } from './preferences.js';
import { Turns } from './turns.js';
import {
  type Answer,
  answer,
  CAPABILITIES,
  type Capability,
  ERRORS,
  type Failure,
  failure,
  isRequest,
  isResponse,
  LISTS,
  listChangedMethod,
  METHODS,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  read,
} from './wire.js';

/** What a transport knows of a client's message beside the message itself. */
export interface MessageContext {
  readonly http?: HttpRequestInfo | undefined;
  /** Claims of the caller that were verified: the only source of operator concerns. */
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
}

/** Where a gate sends messages. `context` is that of the client's message which caused one for the server. */
export interface GatePorts<C extends MessageContext> {
  toServer(message: Message, context: C): void;
  toClient(message: Message, relatedTo?: RequestId): Promise<void>;
}

/** What happened to one request of a client, for a log: no arguments, no results, no values that were refused. */
export interface GateReport {
  readonly method: string;
  readonly concerns?: object;
  readonly shown?: number;
  readonly total?: number;
  readonly warnings?: readonly ConcernWarning[];
  /** The code of a JSON-RPC error that the gate answered. */
  readonly error?: number;
}

export interface GateOptions {
  readonly policy: Policy;
  readonly preferences: Preferences;
  readonly report?: ((report: GateReport) => void) | undefined;
}

/** What is to be done with the server's answer to a request of the client. */
type Expected =
  | { readonly as: 'itself' }
  | { readonly as: 'initialize'; readonly concerns: unknown }
  | {
      readonly as: 'list';
      readonly kind: Kind;
      readonly configuration?: Configuration;
      readonly warnings: readonly ConcernWarning[];
    }
  | { readonly as: 'gate' };

/**
 * The gate between a client's messages and a server's, for one connection.
 *
 * It declares the policy's concerns in the answer to `initialize`, reads what the host wants from every carrier,
 * answers `listConcerns` and `updateConcerns`, and filters the four lists of primitives. Everything else passes as it
 * came, at once unless an earlier message still waits for the store.
 */
export class Gate<C extends MessageContext> {
  private readonly fromClientTurns = new Turns();
  private readonly fromServerTurns = new Turns();
  private readonly inFlight = new Map<RequestId, Expected>();
  private readonly asked = new Map<RequestId, (response: Answer | Failure) => void>();
  private readonly catalogs: Catalogs;
  private readonly name = crypto.randomUUID();
  private asks = 0;
  private listChanged: readonly string[] | undefined;
  private latest: Configuration;

  constructor(
    private readonly options: GateOptions,
    private readonly ports: GatePorts<C>,
  ) {
    this.catalogs = new Catalogs(options.policy);
    this.latest = resolveConfiguration(options.policy, []);
  }

  /** Takes a message of the client. */
  fromClient(message: Message, context: C): void {
    // The server may wait for this while the gate waits for the server.
    if (isResponse(message) && this.asked.size > 0) return this.ports.toServer(message, context);
    try {
      const waits = this.fromClientTurns.run(() => this.judge(message, context));
      waits?.catch((cause) => this.failed(message, cause));
    } catch (cause) {
      this.failed(message, cause);
    }
  }

  /**
   * Takes a message of the server.
   *
   * @param message the message
   * @param send sends it on, perhaps changed: the transport knows what it belongs to
   * @returns a promise that it was sent on
   */
  async fromServer(message: Message, send: (message: Message) => Promise<void>): Promise<void> {
    if (isResponse(message) && message.id !== undefined) {
      const then = this.asked.get(message.id);
      if (then !== undefined) {
        this.asked.delete(message.id);
        return then(message);
      }
    }
    let sent: Promise<void> | undefined;
    await this.fromServerTurns.run(() => {
      const judged = this.judgeFromServer(message);
      if (judged instanceof Promise) return judged.then(send);
      sent = send(judged);
      return undefined;
    });
    await sent;
  }

  /** @returns a promise that nothing waits for the store any more: before it, no HTTP response may be finished */
  async settled(): Promise<void> {
    await this.fromClientTurns.settled();
    await this.fromServerTurns.settled();
  }

  private judge(message: Message, context: C): void | Promise<void> {
    if (isResponse(message)) return this.ports.toServer(message, context);
    if (!isRequest(message)) return this.notification(message, context);
    if (this.inFlight.has(message.id)) {
      this.refuse(
        message,
        ERRORS.invalidRequest,
        'The id of this request is in use by one that is not answered yet.',
      );
      return undefined;
    }
    const kind = KINDS.find((each) => LISTS[each].method === message.method);
    if (kind !== undefined) return this.list(kind, message, context);
    switch (message.method) {
      case METHODS.listConcerns:
        this.report({ method: message.method });
        return this.reply(answer(message.id, describePolicy(this.options.policy)));
      case METHODS.updateConcerns:
        return this.update(message, context);
      case METHODS.initialize:
        return this.pass(message, context, {
          as: 'initialize',
          concerns: concernsOfInitialize(message.params),
        });
      default:
        this.report({ method: message.method });
        return this.pass(message, context, { as: 'itself' });
    }
  }

  private pass(request: Request, context: C, expected: Expected): void {
    this.inFlight.set(request.id, expected);
    this.ports.toServer(request, context);
  }

  private notification(message: Notification, context: C): void | Promise<void> {
    if (message.method === METHODS.cancelled) {
      const id = message.params?.requestId as RequestId;
      this.inFlight.delete(id);
    }
    const concerns = message.method === METHODS.initialized ? read(message.params, 'concerns') : undefined;
    const stored = concerns === undefined ? undefined : this.keep(concerns, METHODS.initialized);
    if (stored === undefined) return this.ports.toServer(message, context);
    return stored.then(() => this.ports.toServer(message, context));
  }

  /** Keeps what a host asked for where it cannot be answered: what is wrong is ignored, and logged. */
  private keep(concerns: unknown, method: string, change: SessionRecord = {}): Promise<void> | undefined {
    const { policy, preferences } = this.options;
    const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }]);
    const accepted = describeAccepted(policy, configuration);
    const warnings = [...configuration.warnings];
    const report = () =>
      this.report({ method, concerns: describeConfiguration(policy, configuration), warnings });
    const said = Object.keys(accepted).length > 0;
    const record = said ? { ...change, concerns: accepted } : change;
    if (Object.keys(record).length === 0) {
      report();
      return undefined;
    }
    const noPlace =
      'There is no session to keep concerns in; send them in _meta, the Mcp-Concerns header or the URL.';
    const stored = updatePreferences(preferences, record);
    if (stored instanceof Promise) {
      return stored.catch((cause) => void warnings.push(storeWarning('written', cause))).then(report);
    }
    if (stored === 'nowhere' && said) warnings.push({ code: 'no-session', message: noPlace });
    report();
    return undefined;
  }

  private list(kind: Kind, request: Request, context: C): void | Promise<void> {
    const session = readPreferences(this.options.preferences);
    if (!(session instanceof Promise)) return this.judgeList(kind, request, context, session, []);
    return session.then(
      (found) => {
        const unknown =
          'The session is not known here, or expired; it is served as one that was never configured.';
        const warnings = found.state === 'live' ? [] : [{ code: 'unknown-session', message: unknown }];
        this.judgeList(kind, request, context, found, warnings);
      },
      (cause) => {
        this.judgeList(kind, request, context, { state: 'unknown' }, [storeWarning('read', cause)]);
      },
    );
  }

  private judgeList(
    kind: Kind,
    request: Request,
    context: C,
    session: SessionRead,
    logged: readonly ConcernWarning[],
  ): void {
    const { policy } = this.options;
    const { configuration, warnings } = this.configure(request, context, session);
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return this.refuseValue(request, policy, invalid);
    this.latest = configuration;

    const whole: Expected = { as: 'list', kind, warnings };
    if (!canChange(policy, configuration)) return this.pass(request, context, whole);
    const page: Expected = { ...whole, configuration };
    if (this.catalogs.isUnbounded(kind)) return this.pass(request, context, page);
    if (request.params?.cursor !== undefined) {
      const message =
        'This cursor does not belong to the list as it is filtered now; list again without a cursor.';
      return this.refuse(request, ERRORS.invalidParams, message);
    }

    this.inFlight.set(request.id, { as: 'gate' });
    this.catalogs.get(kind, this.ask(context), (outcome) => {
      // A request that was cancelled meanwhile gets no answer.
      if (!this.inFlight.delete(request.id)) return;
      if (outcome.state === 'unbounded') return this.pass(request, context, page);
      if (outcome.state === 'failed') {
        this.report({ method: request.method, error: outcome.error.code });
        return this.reply({ jsonrpc: '2.0', id: request.id, error: outcome.error });
      }
      const { result, selection, warnings: all } = filterList(outcome.catalog, configuration, warnings);
      this.reportList(request.method, configuration, selection, [...logged, ...all]);
      this.reply(answer(request.id, result));
    });
  }

  private async update(request: Request, context: C): Promise<void> {
    const { policy, preferences } = this.options;
    const concerns = read(request.params, 'concerns');
    if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
      const message = 'params.concerns must be an object of concern names and values, {} to ask for nothing.';
      return this.refuse(request, ERRORS.invalidParams, message);
    }
    const asked = resolveConfiguration(policy, [{ from: 'update', concerns }]);
    const [invalid] = asked.invalid;
    if (invalid !== undefined) return this.refuseValue(request, policy, invalid);
    if (preferences.place === 'none') {
      const message =
        'There is no session to keep concerns in; send them with each request in _meta, the Mcp-Concerns header or the URL.';
      return this.refuse(request, ERRORS.invalidRequest, message);
    }

    const accepted: HostConcerns = describeAccepted(policy, asked);
    let session: SessionRead;
    try {
      session = await readPreferences(preferences);
      const stored = await updatePreferences(preferences, { concerns: accepted });
      if (stored === 'ended') {
        return this.refuse(request, ERRORS.invalidRequest, 'The session was ended; initialize a new one.');
      }
    } catch {
      return this.refuse(
        request,
        ERRORS.internal,
        'The concerns could not be stored, so nothing changed; try again.',
      );
    }

    const record: SessionRecord = session.state === 'live' ? session.record : {};
    const before = this.configure(undefined, context, session).configuration;
    const after = this.configure(undefined, context, {
      state: 'live',
      record: { ...record, concerns: accepted },
    });
    this.latest = after.configuration;
    const visible: Partial<Record<Kind, number>> = {};
    const changed = new Set<Capability>();
    for (const kind of KINDS) {
      const counts = await this.compare(kind, before, after.configuration, context);
      if (counts === undefined) continue;
      visible[kind] = counts.shown;
      if (counts.changed) changed.add(LISTS[kind].capability);
    }
    for (const capability of CAPABILITIES) {
      if (!changed.has(capability) || !(this.listChanged ?? record.listChanged)?.includes(capability))
        continue;
      this.reply({ jsonrpc: '2.0', method: listChangedMethod(capability) }, request.id);
    }
    const effective = describeConfiguration(policy, after.configuration);
    const warnings = [...asked.warnings, ...after.warnings];
    this.report({ method: request.method, concerns: effective, warnings });
    this.reply(answer(request.id, { concerns: effective, warnings, visible }));
  }

  /** @returns how many of a list are shown after an update, and whether that is another set than before */
  private compare(
    kind: Kind,
    before: Configuration,
    after: Configuration,
    context: C,
  ): Promise<{ shown: number; changed: boolean } | undefined> {
    return new Promise((resolve) => {
      this.catalogs.get(kind, this.ask(context), (outcome) => {
        if (outcome.state !== 'complete') return resolve(undefined);
        const { bound } = outcome.catalog;
        const [old, now] = [select(bound, before).kept, select(bound, after).kept];
        const changed = old.length !== now.length || old.some((item, position) => item !== now[position]);
        resolve({ shown: now.length, changed });
      });
    });
  }

  private configure(
    request: Request | undefined,
    context: C,
    session: SessionRead,
  ): { configuration: Configuration; warnings: readonly ConcernWarning[] } {
    const kept = session.state === 'live' ? session.record.concerns : undefined;
    const { carriers, warnings }: { carriers: readonly Carrier[]; warnings: readonly ConcernWarning[] } =
      readCarriers(request, kept, context.http);
    const configuration = resolveConfiguration(this.options.policy, carriers, context.claims);
    return { configuration, warnings: [...warnings, ...configuration.warnings] };
  }

  private ask(context: C): AskServer {
    return (method, params, then) => {
      const id = `${this.name}/${++this.asks}`;
      this.asked.set(id, then);
      this.ports.toServer({ jsonrpc: '2.0', id, method, params }, context);
    };
  }

  private judgeFromServer(message: Message): Message | Promise<Message> {
    if (!isResponse(message)) {
      const changed = CAPABILITIES.find(
        (each) => 'method' in message && message.method === listChangedMethod(each),
      );
      if (changed !== undefined) this.catalogs.drop(changed);
      return message;
    }
    const expected = message.id === undefined ? undefined : this.inFlight.get(message.id);
    if (message.id !== undefined) this.inFlight.delete(message.id);
    if ('error' in message) return message;
    if (expected === undefined) return this.unexpected(message);
    if (expected.as === 'initialize') return this.initialized(message, expected.concerns);
    return expected.as === 'list' ? this.page(message, expected) : message;
  }

  private initialized(message: Answer, concerns: unknown): Message | Promise<Message> {
    const { policy, preferences } = this.options;
    if (preferences.place === 'connection') preferences.record = {};
    const listChanged = CAPABILITIES.filter(
      (each) => read(message.result, 'capabilities', each, 'listChanged') === true,
    );
    this.listChanged = listChanged;
    const result = declareConcerns(message.result, policy, preferences.place !== 'none');
    const declared: Message = { ...message, result };
    const stored = this.keep(concerns ?? {}, METHODS.initialize, { listChanged });
    return stored === undefined ? declared : stored.then(() => declared);
  }

  private page(message: Answer, { kind, configuration, warnings }: Expected & { as: 'list' }): Message {
    const { method } = LISTS[kind];
    if (configuration === undefined) {
      const total = itemsOf(kind, message.result)?.length ?? 0;
      this.report({ method, shown: total, total, warnings });
      return { ...message, result: withWarnings(message.result, warnings) };
    }
    const tooLong: ConcernWarning = {
      code: 'unbounded-list',
      message: 'The list is too long to be held, so it is filtered page by page, and pages may be short.',
    };
    const catalog = catalogOf(this.options.policy, kind, [message.result]);
    const filtered = filterList(catalog, configuration, [...warnings, tooLong]);
    this.reportList(method, configuration, filtered.selection, filtered.warnings);
    const { nextCursor } = message.result;
    return {
      ...message,
      result: { ...filtered.result, ...(nextCursor === undefined ? {} : { nextCursor }) },
    };
  }

  /** A list that nobody is known to have asked for (a cancelled request, a reused id) is filtered like any other. */
  private unexpected(message: Answer): Message {
    const kind = KINDS.find((each) => itemsOf(each, message.result) !== undefined);
    if (kind === undefined || !canChange(this.options.policy, this.latest)) return message;
    const { result } = filterList(catalogOf(this.options.policy, kind, [message.result]), this.latest, []);
    return { ...message, result };
  }

  private refuseValue(request: Request, policy: Policy, invalid: InvalidValue): void {
    const { concern, values, suggestion } = invalid;
    const range =
      'min' in values ? `a number from ${values.min} to ${values.max}` : `one of ${values.join(', ')}`;
    const several =
      policy.concerns.find(({ name }) => name === concern)?.multiple === true ? ', or a list of them' : '';
    const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
    this.refuse(
      request,
      ERRORS.invalidParams,
      `${concern} must be ${range}${several}${hint || '.'}`,
      invalid,
    );
  }

  private refuse(request: Request, code: number, message: string, data?: unknown): void {
    this.report({ method: request.method, error: code });
    this.reply(failure(request.id, code, message, data));
  }

  private failed(message: Message, cause: unknown): void {
    if (!isRequest(message)) return;
    this.inFlight.delete(message.id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.refuse(message, ERRORS.internal, `The concern filter failed on this request (${reason}).`);
  }

  /** Sends a message of the gate's own; a connection that is closed by now needs none. */
  private reply(message: Message, relatedTo?: RequestId): void {
    this.ports.toClient(message, relatedTo).catch(() => undefined);
  }

  private reportList(
    method: string,
    configuration: Configuration,
    { kept, total }: Selection<Primitive>,
    warnings: readonly ConcernWarning[],
  ): void {
    const concerns = describeConfiguration(this.options.policy, configuration);
    this.report({ method, concerns, shown: kept.length, total, warnings });
  }

  private report(report: GateReport): void {
    this.options.report?.(report);
  }
}

function storeWarning(what: 'read' | 'written', cause: unknown): ConcernWarning {
  const reason = cause instanceof Error ? cause.name : 'unknown';
  return { code: 'store-unavailable', message: `The session store could not be ${what} (${reason}).` };
}
