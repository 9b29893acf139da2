import type { Configuration } from '../../engine/configuration.js';
import type { Failure, Request } from '../../wire/messages.js';
import { canChange } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';
import { type Facts, isEnforced } from '../request/facts.js';
import { heldNow, type Lists, type Settling } from '../request/steps.js';
import { sessionConfiguration } from '../request/with-configuration.js';
import { heldLists } from './held-lists.js';
import { hiddenNameFinder } from './hidden-names.js';
import { redactError } from './result-redaction.js';
import { textRedaction } from './text-redaction.js';

/**
 * Redacts an error that the server answered to a request that names no primitive, under `enforce`. Only lists that are held
 * already tell what is hidden: the request may be the one for a list.
 *
 * @param exchange the request
 * @param message the answer
 * @returns the answer for the client; a promise if the session store must be waited for
 */
export function redactFailure(exchange: Exchange, message: Failure): Failure | Promise<Failure> {
  if (!exchange.isEnforced) return message;
  const configuration = exchange.isConfigured ? exchange.configuration : sessionConfiguration(exchange);
  const redact = (known: Configuration): Failure => redactUnder(exchange, known, message);
  return configuration instanceof Promise ? configuration.then(redact) : redact(configuration);
}

/** Does the same under a configuration that is known. */
export function redactUnder(exchange: Exchange, configuration: Configuration, message: Failure): Failure {
  if (!exchange.isEnforced || !canChange(configuration)) return message;
  return redactBy(
    heldLists(exchange.connection, configuration.policy),
    exchange.request,
    configuration,
    message,
  );
}

/** Does the same for a request whose preferences are known. */
export function* redactKnown(facts: Facts, message: Failure): Settling<Failure> {
  if (!isEnforced(facts) || !canChange(facts.configuration)) return message;
  return redactBy(yield* heldNow(), facts.request, facts.configuration, message);
}

function redactBy(lists: Lists, request: Request, configuration: Configuration, message: Failure): Failure {
  const redact = textRedaction(hiddenNameFinder(lists, configuration), request, undefined);
  return { ...message, error: redactError(message.error, redact) };
}
