import { sha256Of } from '../sha256.js';

/**
 * Returns the id under which a store keeps the preferences of a verified caller. No session has such an id.
 *
 * @param issuer the claim `iss`: a subject is unique only within its issuer
 * @param subject the claim `sub`
 * @returns the id. It contains neither of the two.
 * @example
 * principalId('https://login.example', 'ada').startsWith('principal#'); // true
 */
export function principalId(issuer: string, subject: string): string {
  return `principal#${sha256Of(JSON.stringify([issuer, subject]))}`;
}
