import type { Finding } from '../../core/policy/language/findings.js';

/**
 * Leaves out what matters only where preferences are kept in the ids of sessions: a bundle, and `serve --sessions-store`. A person
 * who tries a policy on one machine has nothing to fix.
 *
 * @param findings the findings of a policy
 * @returns the findings of a policy that no session store reads
 */
export const withoutSessions = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ code }) => code !== 'long-preferences');
