/** The prompts that a connection is being asked for, and whether its host has ever asked for several at once. */
interface Reading {
  readonly pending: Set<string>;
  readsAll: boolean;
}

const readings = new WeakMap<object, Reading>();

/** Requests that a host sends together arrive within this time, in milliseconds. A person does not notice it. */
const TOGETHER = 200;

/**
 * Tells whether a person chose a prompt. A host that asks for several prompts at once reads their texts beforehand, to
 * offer them as commands. No person chose them, and the host does not ask again when a person does. Such prompts must
 * change nothing.
 *
 * @param connection the connection of the host
 * @param name the prompt that it asks for
 * @returns false if the host asked for another prompt at the same time, now or earlier
 */
export async function isChosen(connection: object, name: string): Promise<boolean> {
  const reading = readings.get(connection) ?? { pending: new Set(), readsAll: false };
  readings.set(connection, reading);
  reading.pending.add(name);
  if (reading.pending.size > 1) reading.readsAll = true;
  if (!reading.readsAll) await new Promise((resolve) => setTimeout(resolve, TOGETHER));
  reading.pending.delete(name);
  return !reading.readsAll;
}
