import { createHash } from 'node:crypto';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../engine/policy.js';

/** The version of the compiled form; it changes whenever an older version of this package could misread it. */
export const COMPILED_FORMAT = 1 as const;

/** A compiled policy that this version cannot use. */
export class CompiledPolicyError extends Error {
  readonly code = 'COMPILED_POLICY_INVALID';
  override readonly name = 'CompiledPolicyError';
}

/**
 * @param content a compiled policy without its digest
 * @returns the digest that tells whether it is the same policy, and whether it is whole
 */
export function digestOf(content: Omit<CompiledPolicy, 'digest'>): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
}

/**
 * Takes a policy that was compiled at build time; needs neither YAML nor a schema validator.
 *
 * @param data the parsed JSON that `mcp-concerns compile` wrote
 * @returns the policy, ready for evaluation
 * @throws {CompiledPolicyError} if it is no compiled policy, one of another version, or was changed since
 * @example
 * const policy = openCompiledPolicy(JSON.parse(readFileSync('policy.json', 'utf8')));
 */
export function openCompiledPolicy(data: unknown): Policy {
  const { format } = typeof data === 'object' && data !== null ? (data as { format?: unknown }) : {};
  if (typeof format !== 'number') {
    throw new CompiledPolicyError('This is no compiled policy; make one with "mcp-concerns compile".');
  }
  if (format !== COMPILED_FORMAT) {
    const mend = format > COMPILED_FORMAT ? 'update mcp-concerns, or compile' : 'compile';
    const message = `The compiled policy has version ${format}, this package reads ${COMPILED_FORMAT}; ${mend} it again.`;
    throw new CompiledPolicyError(message);
  }
  const { digest, ...content } = data as CompiledPolicy;
  // What was cut off or edited would decide otherwise than what was checked.
  if (digest !== digestOf(content)) {
    throw new CompiledPolicyError(
      'The compiled policy is not as it was written: its digest differs; compile it again.',
    );
  }
  try {
    return preparePolicy(data as CompiledPolicy);
  } catch (cause) {
    throw new CompiledPolicyError('The compiled policy is damaged; compile it again.', { cause });
  }
}
