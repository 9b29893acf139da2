import type { Answer, Failure, Request } from '../../wire/messages.js';
import { nowOrLater } from '../../wire/now-or-later.js';
import { heldLists } from '../enforce/held-lists.js';
import { redactResponse } from '../enforce/redaction.js';
import { Exchange, type Handler } from '../request/exchange.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { NO_REPORT } from '../request/report.js';
import type { Deciding, FactOf, Need, Outcome, Settled, Settling, Tell } from '../request/steps.js';
import { readConfiguration, withConfiguration } from '../request/with-configuration.js';
import { withLists } from './with-lists.js';

/** How requests of one route are decided, and the server's answers to them. */
export interface Row {
  readonly judge: (facts: RequestFacts) => Deciding<Outcome>;
  readonly settle?: (facts: Facts, message: Answer | Failure) => Settling<Settled>;
  /** Returns the request that is decided about, if it is not the request itself. */
  readonly subject?: (request: Request) => Request;
}

type Fact = FactOf[Need['need']];
type ListNeed = Exclude<Need, { readonly need: 'preferences' }>;

/** Returns the handler of a row. Here, and nowhere else, a request waits for what its decision needs. */
export function gathering({ judge, settle, subject }: Row): Handler {
  return {
    judge: (exchange) => decide(exchange, judge, subject),
    ...(settle && {
      settle: (exchange, message) => {
        const settled = gather(exchange, settle(exchange, message));
        return settled instanceof Promise
          ? settled.then((each) => tellAbout(exchange, each))
          : tellAbout(exchange, settled);
      },
    }),
  };
}

/**
 * Runs a decision, and carries out its outcome.
 *
 * @returns a promise if the session store must be waited for
 */
function decide(exchange: Exchange, judge: Row['judge'], subject: Row['subject']): void | Promise<void> {
  const about =
    subject === undefined
      ? exchange
      : new Exchange(exchange.connection, subject(exchange.request), exchange.sender);
  const steps = judge(about);
  const advance = (found?: Fact): void | Promise<void> => {
    const step = steps.next(found as never);
    if (step.done === true) return carryOut(exchange, step.value);
    const { value: need } = step;
    if (need.need === 'preferences') {
      const read = need.invalid === 'refuse' ? withConfiguration : readConfiguration;
      return read(about, () => {
        noteListing(about);
        return advance(about);
      });
    }
    let isKnown = false;
    let isHeld = false;
    answer(about, need, (fact) => {
      isKnown = true;
      if (!isHeld) return advance(fact);
      // False if the client has cancelled the request.
      if (!exchange.resume()) return;
      try {
        void advance(fact);
      } catch (cause) {
        exchange.connection.toClient(exchange.failureOf(cause));
      }
    });
    if (isKnown) return;
    isHeld = true;
    exchange.hold();
  };
  return advance();
}

/** Runs the steps that make an answer. Returns a promise only if the server must be asked for lists. */
export function gather<T>(exchange: Exchange, steps: Settling<T>): T | Promise<T> {
  const first = steps.next(undefined as never);
  if (first.done === true) return first.value;
  return nowOrLater((then, fail) => {
    const advance = (found: Fact): void => {
      try {
        const step = steps.next(found as never);
        if (step.done === true) then(step.value);
        else answer(exchange, step.value, advance);
      } catch (cause) {
        fail(cause);
      }
    };
    answer(exchange, first.value, advance);
  });
}

/** Calls `then` with what is needed, before it returns if that is at hand. */
function answer(exchange: Exchange, need: ListNeed, then: (fact: Fact) => void): void {
  const { connection, policy } = exchange;
  if (need.need === 'held') return then(heldLists(connection, policy));
  if (need.need === 'whole') return connection.catalog.get(need.kind, policy, exchange.ask, then);
  withLists(exchange, need, (lists, enough) => then({ lists, enough }));
}

export function carryOut(exchange: Exchange, outcome: Outcome): void {
  tell(exchange, outcome.tell);
  if (outcome.to === 'client') {
    return 'error' in outcome ? exchange.fail(outcome.error) : exchange.reply(outcome.result);
  }
  exchange.substitute = outcome.substitute;
  exchange.pass(outcome.params);
}

/** Reports about a settled answer, and returns its message. */
export function tellAbout(exchange: Exchange, { message, tell: about }: Settled): Answer | Failure {
  tell(exchange, about);
  return message;
}

function tell(exchange: Exchange, about: Tell | undefined): void {
  if (about !== undefined && exchange.connection.report !== NO_REPORT) exchange.report(...about());
}

/** Remembers the configuration of the latest list, and tells the page that the client has listed. */
function noteListing({ connection, configuration, route }: Exchange): void {
  if (route.to !== 'list') return;
  connection.listed = configuration;
  if (connection.relisted === false && route.kind === 'tools') connection.relisted = true;
  connection.observer?.listed();
}

/** Redacts an answer for handlers that are not rows yet. */
export function redactNow(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  const settled = gather(exchange, redactResponse(exchange, message));
  return settled instanceof Promise
    ? settled.then((each) => tellAbout(exchange, each))
    : tellAbout(exchange, settled);
}
