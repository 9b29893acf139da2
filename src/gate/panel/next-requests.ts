import { type Configuration, describeAccepted } from '../../engine/configuration.js';
import { CONCERNS_PARAMETER, EXTENSION_ID } from '../../wire/messages.js';

/** What a host must send with its next requests, where nothing is kept between requests. */
export interface NextRequests {
  /** The parameter of the URL, for example `?concerns=security:high`. */
  readonly parameter: string;
  /** The `_meta` of a result that tells the host. */
  readonly _meta: Readonly<Record<string, unknown>>;
}

/**
 * Returns what a host must send with its next requests, so that a choice of a person applies to them.
 *
 * @param update the choice, resolved without any other source
 * @example
 * forUrl(update).parameter; // '?concerns=security:high,topic:news|stocks'
 */
export function forUrl(update: Configuration): NextRequests {
  const concerns = describeAccepted(update);
  const values = Object.entries(concerns).filter(([, value]) => value !== null);
  const text = values.map(([name, value]) => `${name}:${[value].flat().join('|')}`).join(',');
  return { parameter: `?${CONCERNS_PARAMETER}=${text}`, _meta: { [EXTENSION_ID]: { concerns } } };
}
