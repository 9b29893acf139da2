import type { ConcernWarning, Configuration, InvalidValue } from '../../engine/configuration.js';
import { ERRORS } from '../../wire/messages.js';
import { configure } from './configure.js';
import type { Exchange } from './exchange.js';
import { type Kept, NO_PRINCIPAL, nothingRead, readKept } from './kept-preferences.js';
import { quoteValue } from './quote-value.js';
import { storeWarning } from './report.js';

/**
 * Resolves the configuration of an exchange from every preference source, and calls `then`. Answers the request with an
 * error instead if it carries an invalid value under `invalid: error`, or if `enforce` cannot read the session.
 *
 * @param exchange a request whose `_meta` may carry preferences
 * @param then called when the exchange has its configuration, before this function returns if the session is at hand
 * @returns a promise if the session store must be waited for
 * @example
 * withConfiguration(exchange, () => answerList(exchange));
 */
export function withConfiguration(exchange: Exchange, then: () => void): void | Promise<void> {
  return readConfiguration(exchange, () => {
    const { configuration } = exchange;
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(exchange, configuration, invalid);
    then();
  });
}

/**
 * Does what `withConfiguration` does, but ignores invalid values.
 *
 * @returns a promise if the session store must be waited for
 */
export function readConfiguration(exchange: Exchange, then: () => void): void | Promise<void> {
  return withKept(exchange, (kept, logged) => {
    exchange.kept = kept;
    exchange.configured(configure(exchange, kept, { meta: true }), logged);
    then();
  });
}

/**
 * Returns the configuration of a connection's session, without the `_meta` of any single request; a promise if the session
 * store must be waited for.
 */
export function sessionConfiguration(exchange: Exchange): Configuration | Promise<Configuration> {
  const withKeptOf = (kept: Kept) => configure(exchange, kept, { meta: false });
  const kept = readKept(exchange);
  return kept instanceof Promise ? kept.then(withKeptOf) : withKeptOf(kept);
}

const UNKNOWN_SESSION: ConcernWarning = {
  code: 'unknown-session',
  message:
    'The session is unknown or expired, so its preferences are lost. The host must send them again with updateConcerns.',
};

/**
 * Reads what is kept for the sender of a request and calls `then`. If the store cannot be read, `advisory` continues with the other
 * preference sources. `enforce` refuses: the preferences that it cannot read may hide something.
 */
function withKept(
  exchange: Exchange,
  then: (kept: Kept, logged: readonly ConcernWarning[]) => void,
): void | Promise<void> {
  const { era, connection } = exchange;
  const noPrincipal = connection.principal?.place === 'none' ? [NO_PRINCIPAL] : [];
  const kept = readKept(exchange);
  if (!(kept instanceof Promise)) return then(kept, noPrincipal);
  return kept.then(
    (found) => {
      // Only a store can have lost the session of a legacy request.
      const isLost = era === 'legacy' && found.session.state !== 'live';
      then(found, isLost ? [UNKNOWN_SESSION, ...noPrincipal] : noPrincipal);
    },
    (cause) => {
      const logged = [storeWarning('read', cause)];
      if (!exchange.isEnforced) return then(nothingRead(exchange), logged);
      exchange.report({ warnings: logged });
      exchange.refuse(ERRORS.internal, 'The preferences of this session could not be read. Try again.');
    },
  );
}

/** Answers a request that carries a value outside the declared `values`, under `invalid: error`. */
export function refuseValue(exchange: Exchange, { policy }: Configuration, invalid: InvalidValue): void {
  const { concern, value, values, suggestion } = invalid;
  const multiple = policy.concerns.find(({ name }) => name === concern)?.multiple === true;
  const names = 'min' in values ? `a number from ${values.min} to ${values.max}` : values.join(', ');
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const message = `${quoteValue(value)} is not a valid value for ${concern} (${multiple ? 'one or more of ' : ''}${names}).${hint}`;
  exchange.refuse(ERRORS.invalidParams, message, invalid);
}
