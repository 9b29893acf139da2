import { type CompiledPolicy, type Policy, preparePolicy } from '../engine/policy.js';

/** A compiled policy that this version cannot use. */
export class CompiledPolicyError extends Error {
  readonly code = 'COMPILED_POLICY_INVALID';
  override readonly name = 'CompiledPolicyError';
}

/**
 * Takes a policy that was compiled at build time; needs neither YAML nor a schema validator.
 *
 * @param data the parsed JSON that `mcp-concerns compile` wrote
 * @returns the policy, ready for evaluation
 * @throws {CompiledPolicyError} if it is no compiled policy, or one of another format
 * @example
 * const policy = openCompiledPolicy(JSON.parse(readFileSync('policy.json', 'utf8')));
 */
export function openCompiledPolicy(data: unknown): Policy {
  const { format } = typeof data === 'object' && data !== null ? (data as { format?: unknown }) : {};
  if (format !== 1) {
    const what =
      format === undefined ? 'This is no compiled policy' : `The compiled policy has format ${format}, not 1`;
    throw new CompiledPolicyError(`${what}; compile it again with "mcp-concerns compile" of this version.`);
  }
  try {
    return preparePolicy(data as CompiledPolicy);
  } catch (cause) {
    throw new CompiledPolicyError('The compiled policy is damaged; compile it again.', { cause });
  }
}
