import { LivePolicy } from './live-policy.js';

/**
 * Tells what a program passed in place of a policy: a path, or the data of a file that nothing has compiled.
 *
 * @param value the option `policy`
 * @returns a message; undefined for a policy
 * @example
 * policyMistake('policy.yaml'); // 'The option "policy" must be a policy, but is the text "policy.yaml". Pass ...'
 */
export function policyMistake(value: unknown): string | undefined {
  const policy = value instanceof LivePolicy ? value.current : value;
  // What is prepared only: a compiled policy has rules, too.
  if (policy instanceof Object && 'rulesFor' in policy) return undefined;
  const found = typeof policy === 'string' ? `the text ${JSON.stringify(policy)}` : 'other data';
  const what = policy === undefined ? 'is missing' : `must be a policy, but is ${found}`;
  return `The option "policy" ${what}. Pass { policy: loadPolicy('policy.yaml') }, or openCompiledPolicy for compiled JSON.`;
}
