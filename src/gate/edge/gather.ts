import type { Answer, Failure, Message } from '../../wire/messages.js';
import type {
  Deciding,
  Need,
  NeedName,
  Outcome,
  Settled,
  Settling,
  SettlingNeed,
  Tell,
} from '../request/decision.js';
import { NO_REPORT } from '../request/report.js';
import { loggable, refusalOf } from '../table/routing.js';
import type { Exchange } from './exchange.js';
import { ROWS, type Rows } from './rows.js';
import { type Finding, type Found, find, findPreferences } from './sources.js';

/** How a decision gets what it needs, and what becomes of its end. `R` is what whoever runs it gets. */
interface Course<T, N extends NeedName, R> {
  find(exchange: Exchange, need: Need<N>, finding: Finding<T>): void;
  /** Called if that is not at hand. Returns what to give at once, if nothing else is to wait for the decision. */
  later?(exchange: Exchange, need: Need<N>): { readonly result: R } | undefined;
  end(exchange: Exchange, value: T): R;
  fail(exchange: Exchange, cause: unknown): R | Promise<R>;
}

/** Later messages of the client wait until the request is decided. */
const IN_ORDER: Course<Outcome, NeedName, void> = {
  find(exchange, need, finding) {
    if (need.need === 'preferences') findPreferences(exchange, need, finding);
    else find(exchange, need, finding);
  },
  end: carryOut,
  // Every request is answered exactly once.
  fail: (exchange, cause) => exchange.gate.toClient(exchange.failureOf(cause)),
};

/** Later messages wait only for preferences. */
const JUDGED: typeof IN_ORDER = {
  ...IN_ORDER,
  later(exchange, { need }) {
    if (need === 'preferences') return undefined;
    // Only this request waits, and the client can cancel it until it is resumed.
    exchange.hold();
    return { result: undefined };
  },
};

const SETTLED: Course<Settled, SettlingNeed, Message> = {
  find,
  end(exchange, { message, tell: about }) {
    tell(exchange, about);
    return message;
  },
  fail: (exchange, cause) => exchange.failureOf(cause),
};

const GATHERED = {
  find,
  end: <T>(_: Exchange, value: T): T => value,
  fail: (_: Exchange, cause: unknown) => Promise.reject<never>(cause),
};

/**
 * A decision that runs for a request. Here, and nowhere else, a request waits for what its decision needs. An object, since
 * closures that each request makes take more memory, and V8 drops their code with them.
 */
class Run<T, N extends NeedName, R> implements Finding<T> {
  /** What the latest need is answered with, if that is at hand. */
  private now: Found<T> | undefined = undefined;
  private isAsking = false;
  private over: { readonly result: R | Promise<R> } | undefined = undefined;
  private resolve: ((result: R | Promise<R>) => void) | undefined = undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly steps: Deciding<T, N>,
    private readonly course: Course<T, N, R>,
  ) {}

  /**
   * Gives a decision each fact that it asks for, until it ends.
   *
   * @returns a promise only if something must be waited for: some transports need an answer in the same turn
   */
  start(): R | Promise<R> {
    this.goOn();
    if (this.over !== undefined) return this.over.result;
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** @param given what it asked for last, if it has begun */
  private goOn(given?: Found<T>): void {
    const { course, exchange, steps } = this;
    try {
      let step = given === undefined ? steps.next() : resumed(steps, given);
      while (step.done !== true) {
        const now = this.find(step.value);
        if (now === undefined) return this.give(course.later?.(exchange, step.value));
        step = resumed(steps, now);
      }
      this.give({ result: course.end(exchange, step.value) });
    } catch (cause) {
      this.give({ result: course.fail(exchange, cause) });
    }
  }

  /** Returns what a need is answered with; `undefined` if that is not at hand. */
  private find(need: Need<N>): Found<T> | undefined {
    this.now = undefined;
    this.isAsking = true;
    this.course.find(this.exchange, need, this);
    this.isAsking = false;
    return this.now;
  }

  /** Takes what the latest need is answered with. If that was not at hand, the decision goes on. */
  found(found: Found<T>): void {
    const { course, exchange } = this;
    if (this.isAsking) this.now = found;
    // Not if the client has cancelled the request.
    else if (course.later === undefined || !exchange.isHeld || exchange.resume()) this.goOn(found);
  }

  private give(over: { readonly result: R | Promise<R> } | undefined): void {
    if (over === undefined) return;
    this.over = over;
    this.resolve?.(over.result);
  }
}

/** Gives a decision what it asked for. The types of needs say that each fact is of the kind that its need asks for. */
function resumed<T, N extends NeedName>(steps: Deciding<T, N>, found: Found<T>): IteratorResult<Need<N>, T> {
  if ('end' in found) return { done: true, value: found.end };
  return 'cause' in found ? steps.throw(found.cause) : steps.next(found.fact as never);
}

/**
 * Decides a request of the client, and carries out the outcome: passes it to the server, or answers it.
 *
 * @returns a promise if later messages of the client must wait
 */
export function judge(exchange: Exchange, rows: Rows = ROWS): void | Promise<void> {
  const refused = exchange.isEnforced ? refusalOf(exchange.request, exchange.route) : undefined;
  if (refused !== undefined) {
    exchange.report({ error: refused.code, refused: loggable(exchange.request.method) });
    return exchange.fail(refused);
  }
  const { judge: decision, inOrder } = rows[exchange.route.to];
  // Where a call can answer 403, its response must wait until it is decided.
  const course = inOrder || exchange.policy.asksForScopes ? IN_ORDER : JUDGED;
  return new Run(exchange, decision(exchange), course).start();
}

/** Makes the client's answer from the server's. This is the only way on which the server's answer reaches the client. */
export function settle(
  exchange: Exchange,
  message: Answer | Failure,
  rows: Rows = ROWS,
): Message | Promise<Message> {
  const { clientId } = exchange;
  const answered = message.id === clientId ? message : { ...message, id: clientId };
  return new Run(exchange, rows[exchange.route.to].settle(exchange, answered), SETTLED).start();
}

/**
 * Runs a decision that does not decide what becomes of a request.
 *
 * @param exchange the request, on whose behalf the server and the store are asked
 * @param steps the decision
 * @returns a promise only if something must be waited for; it rejects with what the decision throws
 */
export const gather = <T>(exchange: Exchange, steps: Settling<T>): T | Promise<T> =>
  new Run<T, SettlingNeed, T>(exchange, steps, GATHERED).start();

export function carryOut(exchange: Exchange, outcome: Outcome): void {
  tell(exchange, outcome.tell);
  if (outcome.to === 'client') {
    return 'error' in outcome ? exchange.fail(outcome.error) : exchange.reply(outcome.result);
  }
  exchange.substitute = outcome.substitute;
  exchange.pass(outcome.params);
}

function tell(exchange: Exchange, about: Tell | undefined): void {
  if (about !== undefined && exchange.connection.report !== NO_REPORT) exchange.report(...about());
}
