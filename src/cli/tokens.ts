/** The encoding that tokens are counted in, named wherever a count is shown: another model counts otherwise. */
export const ENCODING = 'o200k_base';

/**
 * Loads the encoding, which takes as long as a server takes to start: let both happen at once.
 *
 * @returns a function that counts the tokens of a definition, as the JSON that a host gets
 * @example
 * const tokensOf = await loadTokenCounter();
 * tokensOf({ name: 'echo' }); // 6
 */
export async function loadTokenCounter(): Promise<(definition: object) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // A description may hold <|endoftext|>: a word like others here, which the tokenizer refuses unless told so.
  const options = { disallowedSpecial: new Set<string>() };
  return (definition) => countTokens(JSON.stringify(definition), options);
}
