import { CliError } from '../errors.js';
import { type InputValues, parseInput } from '../options/input-options.js';
import type { CatalogFile } from './catalog-file.js';
import { readInput } from './read-input.js';

/** The encoding that tokens are counted in, named wherever a count is shown: another model counts otherwise. */
export const ENCODING = 'o200k_base';

/** Counts the tokens of a definition. */
export type TokenCounter = (definition: object) => number;

/**
 * Loads the encoding, which takes as long as a server takes to start: let both happen at once.
 *
 * @returns a function that counts the tokens of a definition, as the JSON that a host gets
 * @example
 * const tokensOf = await loadTokenCounter();
 * tokensOf({ name: 'echo' }); // 6
 */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // A description may hold <|endoftext|>: a word like others here, which the tokenizer refuses unless told so.
  const options = { disallowedSpecial: new Set<string>() };
  return (definition) => countTokens(JSON.stringify(definition), options);
}

/**
 * @param catalog the content of an input
 * @returns the counts that a catalog of facts holds; for all others a counter, loaded now
 * @throws {CliError} if the catalog was counted in another encoding
 */
export async function tokenCounterOf({ encoding }: CatalogFile): Promise<TokenCounter> {
  if (encoding === undefined) return loadTokenCounter();
  if (encoding === ENCODING) return (facts) => (facts as { tokens?: number }).tokens ?? 0;
  throw new CliError(
    `The catalog counts tokens in ${JSON.stringify(encoding)}, not ${ENCODING}. Take the snapshot again.`,
  );
}

/**
 * Reads an input as `readInput` does, and loads the token counter at the same time.
 *
 * @param values the values of `INPUT_OPTIONS`
 * @param command the arguments after `--`
 * @param name the name of our command, for messages
 * @returns the catalog and its counter
 * @throws {CliError} as `readInput` and `tokenCounterOf` do
 * @example
 * const [catalog, tokensOf] = await readCounted(values, command, 'tokens');
 */
export async function readCounted(
  values: InputValues,
  command: readonly string[],
  name: string,
): Promise<[catalog: Awaited<ReturnType<typeof readInput>>, tokensOf: TokenCounter]> {
  if (parseInput(values, command, name).from !== 'catalog') {
    return Promise.all([readInput(values, command, name), loadTokenCounter()]);
  }
  const catalog = await readInput(values, command, name);
  return [catalog, await tokenCounterOf(catalog)];
}
