import { CliError } from '../errors.js';
import { readJson } from '../terminal/read-text.js';

/**
 * Reads the claims of a decoded token.
 *
 * @param path a JSON file with one object
 * @returns the claims, as a verifier passes them
 * @throws {CliError} if the file cannot be read, or is not one JSON object
 * @example
 * readClaims('token.json'); // [['sub', 'ann'], ['scope', 'notes:read notes:write']]
 */
export function readClaims(path: string): readonly [name: string, value: unknown][] {
  const claims = readJson(path, 'Check the path of the claims.', (text) => {
    const isToken = /^\s*[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(text);
    const why = isToken ? 'has an encoded token. Write its decoded payload' : 'is not JSON. Write the claims';
    return `${path} ${why} into the file, such as {"scope": "notes:read"}.`;
  });
  if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return Object.entries(claims);
  throw new CliError(
    `${path} is not one JSON object. Write the claims of one token, such as {"scope": "notes:read"}.`,
  );
}
