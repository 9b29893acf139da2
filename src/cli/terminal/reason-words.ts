import type { Decision } from '../../core/engine/evaluate.js';
import type { Policy } from '../../core/engine/policy.js';

/**
 * Writes the reason of a decision as the end of a sentence about the primitive, without a period.
 *
 * @param policy the policy
 * @param why the reason of a decision
 * @param shown whether the decision is to show the primitive
 * @returns the words
 * @example
 * reasonInWords(policy, decision.reason, false); // 'its security is low, but high is in effect'
 */
export function reasonInWords(policy: Policy, why: Decision['reason'], shown: boolean): string {
  switch (why.code) {
    case 'scope-missing':
      return `using it answers that the scope ${why.scopes.join(' ')} is missing`;
    case 'argument':
      return `no value of its argument ${why.argument} is left`;
    case 'definition':
      return why.change === 'new' ? 'nobody has pinned it' : 'its definition changed since it was pinned';
    case 'concern-mismatch': {
      const { concern, preferred, actual } = why;
      const required = `${bound(policy, concern)}${preferred.join(' or ')} is in effect`;
      const but = preferred.length === 0 ? 'no claim of the caller gives it a value' : required;
      return `its ${concern} is ${actual.join(' or ')}, but ${but}`;
    }
    case 'rule': {
      const reason = why.reason === undefined ? '' : `: ${why.reason}`;
      return `rule ${why.rule} ${shown ? 'shows' : 'hides'} it${reason}`;
    }
    case 'fits':
      return 'its values match everything in effect';
    case 'unmapped':
      return 'the policy does not map it, and hides primitives that it does not map (settings.unmapped)';
    case 'person':
      return 'the person hid this tool';
  }
}

/** @returns how values of a concern are compared, with a space at the end: `at most `; empty for `exact` */
export function bound(policy: Policy, concern: string): string {
  const match = policy.concerns[policy.indexOf.get(concern) ?? -1]?.match;
  return match === 'at-most' ? 'at most ' : match === 'at-least' ? 'at least ' : '';
}
