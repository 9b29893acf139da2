import type { Exchange } from '../request/exchange.js';
import { recordOf } from '../request/kept-preferences.js';

/**
 * Returns the key that only the page gets, by which `concerns_update` knows that a person made the change.
 *
 * @returns `undefined` if no page was opened, or if there is no place to keep a key
 */
export const pageKey = ({ kept: { session, principal } }: Exchange): string | undefined =>
  recordOf(session).panel?.key ?? recordOf(principal).panel?.key;

/**
 * Returns the key for a page that is opened now. `initialize` makes the key of a session. A caller without a session gets
 * one with its first page; it lasts as long as the preferences of the caller.
 */
export async function keyForPage(exchange: Exchange): Promise<string | undefined> {
  const { principal } = exchange.connection;
  const known = pageKey(exchange);
  if (known !== undefined || principal?.place !== 'store') return known;
  const key = crypto.randomUUID();
  await principal.store.update(principal.id, { panel: { app: true, form: false, key } });
  return key;
}
