import type { Values } from './document.js';

/**
 * @param preferences what the host prefers
 * @param claims the verified claims, and what rules read of the caller
 * @returns a name for the situation, as the name of a test
 * @example
 * describePreferences({ security: 'high' }, {}); // 'a host with security high'
 */
export function describePreferences(preferences: Values, claims: Values): string {
  const words = (values: Values): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value === null ? 'any' : [value].flat().join(' or ')}`)
      .join(', ');
  const host =
    Object.keys(preferences).length === 0
      ? 'a host without preferences'
      : `a host with ${words(preferences)}`;
  return Object.keys(claims).length === 0 ? host : `${host}, and ${words(claims)}`;
}
