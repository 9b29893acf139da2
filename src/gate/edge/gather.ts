import type { Answer, Failure, Message } from '../../wire/messages.js';
import { nowOrLater } from '../../wire/serial-queue.js';
import type { Deciding, Need, NeedName, Outcome, Row, Settled, Settling, Tell } from '../request/decision.js';
import { NO_REPORT } from '../request/report.js';
import { loggable, refusalOf } from '../table/routing.js';
import type { Exchange } from './exchange.js';
import { ROWS, type Rows } from './rows.js';
import { type Fact, type Found, find, findPreferences } from './sources.js';

type Step<T> = IteratorResult<Need, T>;
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
  const steps = decision(exchange);
  const run = (from: Step<Outcome>): void | Promise<void> => {
    let step = from;
    while (step.done !== true) {
      const need = step.value;
      const found =
        waits || need.need === 'preferences'
          ? nowOrLater<Found>((then) => findAny(exchange, need, then))
          : nowOrHeld(exchange, need, (later) => run(resumed(steps, later)));
      if (found === undefined) return undefined;
      if (found instanceof Promise) return found.then((later) => run(resumed(steps, later)));
      step = resumed(steps, found);
    }
    return carryOut(exchange, step.value);
  };
  return run(steps.next());
}

/**
 * Returns what a need is answered with, if it is at hand. Otherwise only this request waits, and the client can cancel it
 * until `resume` is called.
 */
function nowOrHeld(
  exchange: Exchange,
  need: Need<Other>,
  resume: (found: Found) => void | Promise<void>,
): Found | undefined {
  const now: Found[] = [];
  let isHeld = false;
  find(exchange, need, (found) => {
    if (!isHeld) now.push(found);
    // False if the client has cancelled the request.
    else if (exchange.resume()) void answering(exchange, () => resume(found));
  });
  isHeld = now.length === 0;
  if (isHeld) exchange.hold();
  return now[0];
}

const findAny = (exchange: Exchange, need: Need, then: (found: Found) => void): void =>
  need.need === 'preferences' ? findPreferences(exchange, need, then) : find(exchange, need, then);

function resumed(steps: Deciding<Outcome>, found: Found): Step<Outcome> {
  if ('end' in found) return { done: true, value: found.end };
  return given(steps, found);
}

/** Gives a decision what it asked for. The types of needs say that each fact is of the kind that its need asks for. */
function given<T, N extends NeedName>(steps: Deciding<T, N>, found: Fact): IteratorResult<Need<N>, T> {
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
  return nowOrLater((then, fail) => {
    const run = (from: IteratorResult<Need<Other>, T>): void => {
      let step = from;
      while (step.done !== true) {
        const now: Fact[] = [];
        let isLater = false;
        find(exchange, step.value, (found) => {
          if (!isLater) now.push(found);
          else attempt(found);
        });
        const [found] = now;
        isLater = found === undefined;
        if (found === undefined) return;
        step = given(steps, found);
      }
      then(step.value);
    };
    const attempt = (found: Fact): void => {
      try {
        run(given(steps, found));
      } catch (cause) {
        fail(cause);
      }
    };
    run(first);
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
