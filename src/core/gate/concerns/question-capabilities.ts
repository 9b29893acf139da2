import { read } from '../../wire/messages.js';

/** The capabilities of a client that let a server ask it something, with the modes of an elicitation. */
const CAPABILITIES: readonly (readonly [name: string, ...modes: string[]])[] = [
  ['elicitation', 'form', 'url'],
  ['sampling'],
  ['roots'],
];

/**
 * Returns the part of a client's capabilities that says which questions it can answer: tasks ask nothing else. Each
 * capability is empty, because a client can send megabytes.
 *
 * @param capabilities the capabilities as the client sent them
 * @example
 * questionCapabilities({ elicitation: { form: {} }, tasks: {} }); // { elicitation: { form: {} } }
 */
export function questionCapabilities(capabilities: unknown): Readonly<Record<string, object>> {
  const kept: Record<string, Record<string, object>> = {};
  for (const [name, ...modes] of CAPABILITIES) {
    if (read(capabilities, name) === undefined) continue;
    const sent = modes.filter((mode) => read(capabilities, name, mode) !== undefined);
    kept[name] = Object.fromEntries(sent.map((mode) => [mode, {}]));
  }
  return kept;
}
