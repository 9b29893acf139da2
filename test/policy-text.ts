import { type Policy, preparePolicy } from '../src/core/engine/policy.js';
import { parsePolicy } from '../src/core/policy/compile/parse.js';
import { PolicyError } from '../src/core/policy/language/findings.js';

/** Loads a policy from its text, as from a file, but without a file: tests load hundreds. Throws if it has errors. */
export function policyFromText(text: string): Policy {
  const { compiled, findings, texts } = parsePolicy(new Map([['policy.yaml', text]]));
  if (compiled === undefined) throw new PolicyError(findings, texts);
  return preparePolicy(compiled);
}
