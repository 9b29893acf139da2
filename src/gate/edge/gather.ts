import type { Answer, Failure, Message } from '../../wire/messages.js';
import { nowOrLater } from '../../wire/serial-queue.js';
import type { Deciding, Need, NeedName, Outcome, Settling, Tell } from '../request/decision.js';
import { NO_REPORT } from '../request/report.js';
import { loggable, refusalOf } from '../table/routing.js';
import type { Exchange } from './exchange.js';
import { ROWS, type Rows } from './rows.js';
import { type Found, find, findPreferences } from './sources.js';

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
  const { judge: decision, inOrder } = rows[exchange.route.to];
  // Where a call can answer 403, its response must wait until it is decided.
  const waits = inOrder || exchange.policy.asksForScopes;
  return nowOrLater<void>((goOn) => {
    run<Outcome, NeedName>(() => decision(exchange), {
      find(need, found) {
        if (need.need === 'preferences') return findPreferences(exchange, need, found);
        find(exchange, need, (fact) => {
          // Not if the client has cancelled the request.
          if (!exchange.isHeld || exchange.resume()) found(fact);
        });
      },
      later({ need }) {
        if (waits || need === 'preferences') return;
        // Only this request waits, and the client can cancel it until it is resumed.
        exchange.hold();
        goOn();
      },
      end(outcome) {
        carryOut(exchange, outcome);
        goOn();
      },
      // Every request is answered exactly once.
      fail(cause) {
        exchange.gate.toClient(exchange.failureOf(cause));
        goOn();
      },
    });
  });
}

/** How a decision gets what it needs, and what happens with it. */
interface Running<T, N extends NeedName> {
  /** Calls `found` with what a need is answered with, now or later. */
  find(need: Need<N>, found: (found: Found<T>) => void): void;
  /** Called if that is not at hand. */
  later?(need: Need<N>): void;
  end(value: T): void;
  /** Called with what the decision, or one of these functions, throws. */
  fail(cause: unknown): void;
}

/**
 * Gives a decision each fact that it asks for, until it ends.
 *
 * @param given what it asked for last, if it has begun
 */
function run<T, N extends NeedName>(
  decide: () => Deciding<T, N>,
  running: Running<T, N>,
  given?: Found<T>,
): void {
  try {
    const steps = decide();
    let step = given === undefined ? steps.next() : resumed(steps, given);
    while (step.done !== true) {
      let now: Found<T> | undefined;
      let isLater = false;
      running.find(step.value, (found) => {
        if (isLater) run(() => steps, running, found);
        else now = found;
      });
      isLater = true;
      if (now === undefined) return running.later?.(step.value);
      step = resumed(steps, now);
    }
    running.end(step.value);
  } catch (cause) {
    running.fail(cause);
  }
}

/** Gives a decision what it asked for. The types of needs say that each fact is of the kind that its need asks for. */
function resumed<T, N extends NeedName>(steps: Deciding<T, N>, found: Found<T>): IteratorResult<Need<N>, T> {
  if ('end' in found) return { done: true, value: found.end };
  return 'cause' in found ? steps.throw(found.cause) : steps.next(found.fact as never);
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
  return nowOrLater<Message>((answer) =>
    run(() => decision(exchange, answered), {
      find: (need, found) => find(exchange, need, found),
      end(settled) {
        tell(exchange, settled.tell);
        answer(settled.message);
      },
      fail: (cause) => answer(exchange.failureOf(cause)),
    }),
  );
}

/**
 * Runs a decision that does not decide what becomes of a request.
 *
 * @param exchange the request, on whose behalf the server and the store are asked
 * @param steps the decision
 * @returns a promise only if something must be waited for; it rejects with what the decision throws
 */
export const gather = <T>(exchange: Exchange, steps: Settling<T>): T | Promise<T> =>
  nowOrLater<T>((then, fail) =>
    run(() => steps, { find: (need, found) => find(exchange, need, found), end: then, fail }),
  );

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
