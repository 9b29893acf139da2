import { CliError } from '../errors.js';
import type { Input } from '../options/input-options.js';
import type { Terminal } from '../terminal/output.js';
import type { CatalogFile } from './catalog-file.js';
import { readInput } from './read-input.js';

/** The encoding that tokens are counted in. Every output with a count names it: other models count differently. */
export const ENCODING = 'o200k_base';

/** Returns the number of tokens of a definition, as the JSON text that a host receives. */
export type TokenCounter = (definition: object) => number;

/** Loads the encoding. This takes about as long as starting a server, so start both at the same time. */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // A description may contain <|endoftext|>. The tokenizer rejects it by default; here it is ordinary text.
  const options = { disallowedSpecial: new Set<string>() };
  return (definition) => countTokens(JSON.stringify(definition), options);
}

/**
 * Returns the token counter for a catalog file. A catalog without definitions has the counts in it; for any other
 * catalog the encoding is loaded.
 *
 * @param catalog the content of a catalog file
 * @returns a function that counts the tokens of one definition of this catalog
 * @throws {CliError} if the catalog was counted in another encoding
 * @example
 * const tokensOf = await tokenCounterOf(catalog);
 * tokensOf({ name: 'echo' }); // 6
 */
export async function tokenCounterOf({ encoding }: CatalogFile): Promise<TokenCounter> {
  if (encoding === undefined) return loadTokenCounter();
  if (encoding === ENCODING) return (facts) => (facts as { tokens?: number }).tokens ?? 0;
  throw new CliError(
    `The catalog counts tokens in ${JSON.stringify(encoding)}, not ${ENCODING}. Take the snapshot again.`,
  );
}

/** A catalog, and what counts the tokens of its primitives. */
export type CountedCatalog = readonly [catalog: CatalogFile, tokensOf: TokenCounter];

/**
 * Reads an input as `readInput` does, and loads the token counter at the same time.
 *
 * @param input the input
 * @param terminal where progress is shown
 * @returns the catalog and its counter
 * @throws {CliError} as `readInput` and `tokenCounterOf` do
 * @example
 * const [catalog, tokensOf] = await readCounted(input, terminal);
 */
export async function readCounted(input: Input, terminal: Terminal): Promise<CountedCatalog> {
  if (input.from !== 'catalog') return Promise.all([readInput(input, terminal), loadTokenCounter()]);
  const catalog = await readInput(input, terminal);
  return [catalog, await tokenCounterOf(catalog)];
}
