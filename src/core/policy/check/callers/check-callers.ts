import { claimedValue, claimNames, type Verified } from '../../../engine/claims.js';
import type { Policy } from '../../../engine/policy.js';
import type { Finding } from '../../language/findings.js';
import { findingAt, problem } from '../../language/problem.js';
import type { CheckedFile } from '../check-values.js';

/**
 * Checks the operator concerns of a policy against callers as they are.
 *
 * @param files the files of the policy
 * @param policy the policy that was compiled from these files
 * @param callers what is known about some callers, by the name of the file that has their claims
 * @returns a warning for each claim that gives no value
 * @example
 * checkCallers(files, policy, new Map([['token.json', { claims: new Map([['groups', ['a', 'b']]]) }]]));
 */
export function checkCallers(
  files: readonly CheckedFile[],
  policy: Policy,
  callers: ReadonlyMap<string, Verified>,
): Finding[] {
  return policy.concerns.flatMap(({ name, setBy, claim = name }, index) => {
    const file = files.find(({ document }) => Object.hasOwn(document.concerns ?? {}, name));
    if (file === undefined || setBy !== 'operator') return [];
    const place = file.source.locate(['concerns', name], 'key');
    return [...callers].flatMap(([token, caller]): Finding[] => {
      const code = claimedValue(policy, index, caller);
      if (code !== 'unmatched-claim' && code !== 'several-claims') return [];
      const found = problem(code, { claim: claimNames(claim).join(' or '), token, name });
      return [findingAt(place, 'warning', found)];
    });
  });
}
