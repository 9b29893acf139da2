/** A JSON value that is neither an object nor a list. */
export type Scalar = string | number | boolean | null;

/** A use of a tool, as policies name it. */
export interface UseName {
  readonly tool: string;
  readonly argument: string;
  /** `undefined`: the calls that send any value. Empty: those that send none. */
  readonly value: string | undefined;
}

const USE = /^([^()]*)\(([^()=]+)(?:=(.*))?\)$/s;

/**
 * Reads the name of a use: `deploy(environment=production)` are the calls that send this value, `deploy(environment=)` those that
 * send none, and `deploy(force)` those that send any value. Names of tools that hosts accept have no parentheses.
 *
 * @param name a name of an entry, or a pattern
 * @returns its parts; `undefined` if it names a tool
 * @example
 * parseUse('deploy(environment=production)'); // { tool: 'deploy', argument: 'environment', value: 'production' }
 */
export function parseUse(name: string): UseName | undefined {
  const [, tool, argument, value] = USE.exec(name) ?? [];
  return tool === undefined || argument === undefined ? undefined : { tool, argument, value };
}

/**
 * Writes the name of a use. A text and a number with the same characters have the same name.
 *
 * @param value what the calls send; `undefined` if they send nothing
 * @example
 * useName('deploy', 'environment', 'production'); // 'deploy(environment=production)'
 */
export const useName = (tool: string, argument: string, value: Scalar | undefined): string =>
  `${tool}(${argument}=${value === undefined ? '' : String(value)})`;
