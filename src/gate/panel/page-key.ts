import { keep, type Settling } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { recordOf } from '../request/kept-preferences.js';

/**
 * Returns the key that only the page gets, by which `concerns_update` knows that a person made the change.
 *
 * @returns `undefined` if no page was opened, or if there is no place to keep a key
 */
export const pageKey = ({ kept: { session, principal } }: Facts): string | undefined =>
  recordOf(session).panel?.key ?? recordOf(principal).panel?.key;

/**
 * Returns the key for a page that is opened now. `initialize` makes the key of a session. A caller without a session gets
 * one with its first page; it lasts as long as the preferences of the caller.
 */
export function* keyForPage(facts: Facts): Settling<string | undefined> {
  const known = pageKey(facts);
  if (known !== undefined || !facts.keeps.caller) return known;
  const key = crypto.randomUUID();
  yield* keep('principal', { panel: { app: true, form: false, key } });
  return key;
}
