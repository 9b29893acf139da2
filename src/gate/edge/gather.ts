import type { Answer, Failure, Message } from '../../wire/messages.js';
import { nowOrLater } from '../../wire/serial-queue.js';
import type { Deciding, Need, NeedName, Outcome, Row, Settled, Settling, Tell } from '../request/decision.js';
import { NO_REPORT } from '../request/report.js';
import { loggable, refusalOf } from '../table/routing.js';
import type { Exchange } from './exchange.js';
import { ROWS, type Rows } from './rows.js';
import { type Fact, type Found, find, findPreferences } from './sources.js';

/** All that an answer may need, and all that only the request itself waits for. */
type Other = Exclude<NeedName, 'preferences'>;

/**
 * Decides a request of the client, and carries out the outcome: passes it to the server, or answers it. Here, and nowhere
 * else, a request waits for what its decision needs.
 *
 * @returns a promise if later messages of the client must wait
 */
export function judge(exchange: Exchange, rows: Rows = ROWS): void | Promise<void> {
  const refused = exchange.isEnforced ? refusalOf(exchange.request, exchange.route) : undefined;
  if (refused !== undefined) {
    exchange.report({ error: refused.code, refused: loggable(exchange.request.method) });
    return exchange.fail(refused);
  }
  return answering(exchange, () => decide(exchange, rows[exchange.route.to]));
}

/** Answers a request whose decision throws: every request is answered exactly once. */
function answering(exchange: Exchange, decided: () => void | Promise<void>): void | Promise<void> {
  const failed = (cause: unknown) => exchange.gate.toClient(exchange.failureOf(cause));
  try {
    return decided()?.catch(failed);
  } catch (cause) {
    failed(cause);
  }
}

function decide(exchange: Exchange, { judge: decision, inOrder }: Row): void | Promise<void> {
  // Where a call can answer 403, its response must wait until it is decided.
  const waits = inOrder || exchange.policy.asksForScopes;
  const ask: Asking<Outcome, NeedName> = (need, resume) => {
    if (need.need === 'preferences')
      return nowOrLater<Found>((then) => findPreferences(exchange, need, then));
    if (waits) return nowOrLater<Found>((then) => find(exchange, need, then));
    const now = findNow(exchange, need, (found) => {
      // False if the client has cancelled the request.
      if (exchange.resume()) void answering(exchange, () => resume(found));
    });
    // Only this request waits, and the client can cancel it until it is resumed.
    if (now === undefined) exchange.hold();
    return now;
  };
  const steps = decision(exchange);
  return run(steps, steps.next(), ask, (outcome) => carryOut(exchange, outcome));
}

/** Returns what a need is answered with; `undefined` if `resume` will be called with it later. */
type Asking<T, N extends NeedName> = (
  need: Need<N>,
  resume: (found: Found<T>) => void | Promise<void>,
) => Found<T> | Promise<Found<T>> | undefined;

/**
 * Asks for what a decision needs, from its first step until it ends.
 *
 * @param then called with what the decision returns
 * @returns a promise if `ask` has returned one
 * @throws what the decision throws
 */
function run<T, N extends NeedName>(
  steps: Deciding<T, N>,
  from: IteratorResult<Need<N>, T>,
  ask: Asking<T, N>,
  then: (value: T) => void | Promise<void>,
): void | Promise<void> {
  const resume = (found: Found<T>) => run(steps, resumed(steps, found), ask, then);
  let step = from;
  while (step.done !== true) {
    const found = ask(step.value, resume);
    if (found === undefined) return undefined;
    if (found instanceof Promise) return found.then(resume);
    step = resumed(steps, found);
  }
  return then(step.value);
}

/** Gives a decision what it asked for. The types of needs say that each fact is of the kind that its need asks for. */
function resumed<T, N extends NeedName>(steps: Deciding<T, N>, found: Found<T>): IteratorResult<Need<N>, T> {
  if ('end' in found) return { done: true, value: found.end };
  return 'cause' in found ? steps.throw(found.cause) : steps.next(found.fact as never);
}

/** Returns what a need is answered with, if it is at hand. Otherwise `later` is called with it. */
function findNow(exchange: Exchange, need: Need<Other>, later: (found: Fact) => void): Fact | undefined {
  let now: Fact | undefined;
  let isLater = false;
  find(exchange, need, (found) => {
    if (isLater) later(found);
    else now = found;
  });
  isLater = now === undefined;
  return now;
}

/** Makes the client's answer from the server's. This is the only way on which the server's answer reaches the client. */
export function settle(
  exchange: Exchange,
  message: Answer | Failure,
  rows: Rows = ROWS,
): Message | Promise<Message> {
  const { clientId } = exchange;
  const answered = message.id === clientId ? message : { ...message, id: clientId };
  const { settle: decision } = rows[exchange.route.to];
  const told = ({ message: settled, tell: about }: Settled): Message => {
    tell(exchange, about);
    return settled;
  };
  const failed = (cause: unknown): Message => exchange.failureOf(cause);
  try {
    const settled = gather(exchange, decision(exchange, answered));
    return settled instanceof Promise ? settled.then(told).catch(failed) : told(settled);
  } catch (cause) {
    return failed(cause);
  }
}

/**
 * Runs a decision that does not decide what becomes of a request.
 *
 * @param exchange the request, on whose behalf the server and the store are asked
 * @param steps the decision
 * @returns a promise only if something must be waited for; it rejects with what the decision throws
 */
export function gather<T>(exchange: Exchange, steps: Settling<T>): T | Promise<T> {
  const first = steps.next();
  if (first.done === true) return first.value;
  return nowOrLater<T>((then, fail) => {
    const ask: Asking<T, Other> = (need, resume) =>
      findNow(exchange, need, (found) => {
        try {
          void resume(found);
        } catch (cause) {
          fail(cause);
        }
      });
    void run(steps, first, ask, then);
  });
}

export function carryOut(exchange: Exchange, outcome: Outcome): void | Promise<void> {
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
