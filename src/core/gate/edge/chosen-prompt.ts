import { getOrMake } from '../../once.js';
import type { ConnectionState } from './connection-state.js';

/** The prompts that a host asks for at the same time, and how many of these requests still wait. */
interface Burst {
  readonly names: Set<string>;
  waiting: number;
}

/**
 * The bursts of a store by the id of the session or the caller, because each of its requests may have a connection of its
 * own. A connection that keeps the preferences itself has one burst.
 */
const bursts = new WeakMap<object, Map<string, Burst>>();

/** Requests that a host sends together arrive within this time, in milliseconds. A person does not notice it. */
const TOGETHER = 200;

/**
 * Tells whether a person chose a prompt. A host that asks for several prompts at once reads their texts beforehand, to
 * offer them as commands. No person chose them, so they must change nothing.
 *
 * Requests that reach different processes cannot be compared.
 *
 * @param connection the connection of the host
 * @param name the prompt that it asks for
 * @returns false if the host asks for another prompt at the same time
 */
export async function isChosen(
  connection: Pick<ConnectionState, 'preferences' | 'principal'>,
  name: string,
): Promise<boolean> {
  const { principal, preferences } = connection;
  const kept = [principal, preferences].find((each) => each?.place === 'store');
  const [owner, session] = kept?.place === 'store' ? [kept.store, kept.id] : [connection, ''];
  const ofOwner = getOrMake(bursts, owner, () => new Map<string, Burst>());
  const burst = getOrMake(ofOwner, session, (): Burst => ({ names: new Set(), waiting: 0 }));
  burst.names.add(name);
  burst.waiting += 1;
  await new Promise((resolve) => setTimeout(resolve, TOGETHER));
  burst.waiting -= 1;
  if (burst.waiting === 0) ofOwner.delete(session);
  return burst.names.size === 1;
}
