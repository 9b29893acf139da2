import type { Answer, Failure, Message } from '../../wire/messages.js';
import { apartByCaller } from '../lists/cache-hints.js';
import type {
  LazyReport,
  Need,
  NeedName,
  RequestOutcome,
  RequestSteps,
  ResponseNeed,
  ResponseOutcome,
  ResponseSteps,
} from '../request/decision.js';
import { NO_REPORT, type Waits } from '../request/report.js';
import { loggable, refusalOf } from '../table/routing.js';
import type { Exchange } from './exchange.js';
import { ROUTE_HANDLERS, type RouteHandlers } from './route-handlers.js';
import { type FactReceiver, type FactResult, provideFact, providePreferences } from './sources.js';

/** What a need waits for. All that are not here wait for the store, or for nothing. */
const WAITED_FOR: { readonly [N in NeedName]?: keyof Waits | 'module' } = {
  whole: 'server',
  lists: 'server',
  pages: 'server',
  person: 'person',
  panel: 'module',
};

/** How a decision gets what it needs, and what its outcome turns into. `R` is what the caller of `run` receives. */
interface RunMode<T, N extends NeedName, R> {
  provide(exchange: Exchange, need: Need<N>, receiver: FactReceiver<T>): void;
  /** Called when a need has no immediate answer. Returns what the caller receives at once, if nothing else is to wait. */
  whenWaiting?(exchange: Exchange, need: Need<N>): { readonly result: R } | undefined;
  end(exchange: Exchange, value: T): R;
  fail(exchange: Exchange, cause: unknown): R | Promise<R>;
}

/** Later messages of the client wait until the request is decided. */
const IN_ORDER: RunMode<RequestOutcome, NeedName, void> = {
  provide(exchange, need, receiver) {
    if (need.need === 'preferences') providePreferences(exchange, need, receiver);
    else provideFact(exchange, need, receiver);
  },
  end: carryOut,
  // Every request is answered exactly once.
  fail: (exchange, cause) => exchange.gate.toClient(exchange.failureOf(cause)),
};

/** Later messages wait only for preferences. */
const OVERTAKEABLE: typeof IN_ORDER = {
  ...IN_ORDER,
  whenWaiting(exchange, { need }) {
    if (need === 'preferences') return undefined;
    // Only this request waits, and the client can cancel it until it is resumed.
    exchange.suspend();
    return { result: undefined };
  },
};

const RESPONSE: RunMode<ResponseOutcome, ResponseNeed, Message> = {
  provide: provideFact,
  end(exchange, { message, tell: about }) {
    tell(exchange, about);
    return 'error' in message ? message : markPerCaller(exchange, message);
  },
  fail: (exchange, cause) => exchange.failureOf(cause),
};

/** For a decision of the gate itself: its caller gets the outcome, and no message is sent. */
const INTERNAL = {
  provide: provideFact,
  end: <T>(_: Exchange, value: T): T => value,
  fail: (_: Exchange, cause: unknown) => Promise.reject<never>(cause),
};

/**
 * A decision that runs for a request. Here, and nowhere else, a request waits for what its decision needs. An object, since
 * closures that each request makes take more memory, and are compiled again.
 */
class StepRunner<T, N extends NeedName, R> implements FactReceiver<T> {
  /** What the latest need is answered with, if that is at hand. */
  private immediate: FactResult<T> | undefined = undefined;
  private isAsking = false;
  private ended: { readonly result: R | Promise<R> } | undefined = undefined;
  private resolve: ((result: R | Promise<R>) => void) | undefined = undefined;
  private awaited: NeedName = 'preferences';
  private askedAt = 0;

  constructor(
    private readonly exchange: Exchange,
    private readonly steps: RequestSteps<T, N>,
    private readonly mode: RunMode<T, N, R>,
  ) {}

  /**
   * Gives a decision each fact that it asks for, until it ends.
   *
   * @returns a promise only if something must be waited for: some transports need an answer in the same turn
   */
  start(): R | Promise<R> {
    this.resume();
    if (this.ended !== undefined) return this.ended.result;
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** @param given what it asked for last, if it has begun */
  private resume(given?: FactResult<T>): void {
    const { mode, exchange, steps } = this;
    try {
      let step = given === undefined ? steps.next() : resumed(steps, given);
      while (step.done !== true) {
        const found = this.lookUp(step.value);
        if (found === undefined) {
          this.awaited = step.value.need;
          this.askedAt = performance.now();
          return this.finish(mode.whenWaiting?.(exchange, step.value));
        }
        step = resumed(steps, found);
      }
      this.finish({ result: mode.end(exchange, step.value) });
    } catch (cause) {
      this.finish({ result: mode.fail(exchange, cause) });
    }
  }

  /** Returns what a need is answered with; `undefined` if that is not at hand. */
  private lookUp(need: Need<N>): FactResult<T> | undefined {
    this.immediate = undefined;
    this.isAsking = true;
    this.mode.provide(this.exchange, need, this);
    this.isAsking = false;
    return this.immediate;
  }

  /** Takes what the latest need is answered with. If that was not at hand, the decision goes on. */
  receive(found: FactResult<T>): void {
    const { mode, exchange } = this;
    if (this.isAsking) {
      this.immediate = found;
      return;
    }
    const place = WAITED_FOR[this.awaited] ?? 'store';
    if (place !== 'module') exchange.waited(place, this.askedAt);
    if (place === 'store' && 'cause' in found) exchange.storeFailed(found.cause);
    // Not if the client has cancelled the request.
    if (mode.whenWaiting === undefined || !exchange.isSuspended || exchange.resume()) this.resume(found);
  }

  private finish(end: { readonly result: R | Promise<R> } | undefined): void {
    if (end === undefined) return;
    this.ended = end;
    this.resolve?.(end.result);
  }
}

/** Gives a decision what it asked for. The types of needs say that each fact is of the kind that its need asks for. */
function resumed<T, N extends NeedName>(
  steps: RequestSteps<T, N>,
  found: FactResult<T>,
): IteratorResult<Need<N>, T> {
  if ('end' in found) return { done: true, value: found.end };
  return 'cause' in found ? steps.throw(found.cause) : steps.next(found.fact as never);
}

/**
 * Decides a request of the client, and carries out the outcome: passes it to the server, or answers it.
 *
 * @returns a promise if later messages of the client must wait
 */
export function handleRequest(
  exchange: Exchange,
  handlers: RouteHandlers = ROUTE_HANDLERS,
): void | Promise<void> {
  const refused = exchange.isEnforced ? refusalOf(exchange.request, exchange.route) : undefined;
  if (refused !== undefined) {
    exchange.report({ error: refused.code, refused: loggable(exchange.request.method) });
    return exchange.fail(refused);
  }
  const { onRequest: decision, inOrder } = handlers[exchange.route.to];
  // Where a call can answer 403, its response must wait until it is decided.
  const mode = inOrder || exchange.policy.asksForScopes ? IN_ORDER : OVERTAKEABLE;
  return new StepRunner(exchange, decision(exchange), mode).start();
}

/** Makes the client's answer from the server's. This is the only way on which the server's answer reaches the client. */
export function handleResponse(
  exchange: Exchange,
  message: Answer | Failure,
  handlers: RouteHandlers = ROUTE_HANDLERS,
): Message | Promise<Message> {
  const { clientId } = exchange;
  if (exchange.passedAt > 0) exchange.waited('server', exchange.passedAt);
  const answered = message.id === clientId ? message : { ...message, id: clientId };
  return new StepRunner(
    exchange,
    handlers[exchange.route.to].onResponse(exchange, answered),
    RESPONSE,
  ).start();
}

/**
 * Runs a decision that does not decide what becomes of a request.
 *
 * @param exchange the request, on whose behalf the server and the store are asked
 * @param steps the decision
 * @returns a promise only if something must be waited for; it rejects with what the decision throws
 */
export const gather = <T>(exchange: Exchange, steps: ResponseSteps<T>): T | Promise<T> =>
  new StepRunner<T, ResponseNeed, T>(exchange, steps, INTERNAL).start();

export function carryOut(exchange: Exchange, outcome: RequestOutcome): void {
  tell(exchange, outcome.tell);
  if (outcome.to === 'client') {
    // The page of the gate is the same for everyone.
    const isOwn = exchange.route.to === 'panel';
    return 'error' in outcome
      ? exchange.fail(outcome.error)
      : exchange.reply(isOwn ? outcome.result : apartByCaller(exchange, outcome.result));
  }
  exchange.substitute = outcome.substitute;
  exchange.pass(outcome.params);
}

function markPerCaller(exchange: Exchange, message: Answer): Answer {
  const result = apartByCaller(exchange, message.result);
  return result === message.result ? message : { ...message, result };
}

function tell(exchange: Exchange, about: LazyReport | undefined): void {
  if (about !== undefined && exchange.connection.report !== NO_REPORT) exchange.report(...about());
}
