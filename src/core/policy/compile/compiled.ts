import { type CompiledPolicy, type Policy, preparePolicy } from '../../engine/policy.js';
import { type ErrorClass, errorClass } from '../../errors.js';
import { sha256Of } from '../../sha256.js';

/** The version of the compiled format. It changes when an older version of this package could misread new files. */
export const COMPILED_FORMAT = 2 as const;

/** That of 0.2.0, which knew neither uses of tools nor bound arguments, and would have shown what they hide. */
const FIRST_FORMAT = 1;

const CompiledPolicyErrorBase: ErrorClass<'CompiledPolicyError', 'COMPILED_POLICY_INVALID'> = errorClass(
  'CompiledPolicyError',
  'COMPILED_POLICY_INVALID',
);

/** A compiled policy that this version of the package cannot use. The message gives the reason. */
export class CompiledPolicyError extends CompiledPolicyErrorBase {}

/**
 * Computes the digest of a compiled policy, which identifies what the policy says and shows whether it was changed. Where its
 * files lie and what its author calls it make no difference.
 *
 * @param content the compiled policy without its digest
 * @returns the first 32 hexadecimal digits of the SHA-256 of its JSON
 * @example
 * digestOf({ ...content, format: COMPILED_FORMAT });
 */
export function digestOf(content: Omit<CompiledPolicy, 'digest'>): string {
  const { files: _files, label: _label, ...said } = content;
  return digestOfAll(said);
}

/** The digest of the first format, which had the paths of the files in it. */
const digestOfAll = (content: object): string => sha256Of(JSON.stringify(content)).slice(0, 32);

/**
 * Opens a policy that was compiled at build time. This needs neither a YAML parser nor a schema validator.
 *
 * @param data the parsed JSON that `mcp-concerns bundle` wrote
 * @returns the policy, ready for evaluation
 * @throws {CompiledPolicyError} if the data is not a compiled policy, has another format version, or was changed
 * @example
 * const policy = openCompiledPolicy(JSON.parse(readFileSync('policy.json', 'utf8')));
 */
export function openCompiledPolicy(data: unknown): Policy {
  const { format } = typeof data === 'object' && data !== null ? (data as { format?: unknown }) : {};
  if (typeof format !== 'number') {
    throw new CompiledPolicyError(
      'This is not a compiled policy. Create one with compilePolicy, or with "mcp-concerns bundle".',
    );
  }
  if (format !== COMPILED_FORMAT && format !== FIRST_FORMAT) {
    const fix = format > COMPILED_FORMAT ? 'Update mcp-concerns or compile' : 'Compile';
    const message = `The compiled policy has format version ${format}, but this package reads ${COMPILED_FORMAT}. ${fix} it again.`;
    throw new CompiledPolicyError(message);
  }
  const { digest, ...content } = data as CompiledPolicy;
  // A truncated or edited policy would decide differently from the one that was checked.
  if (digest !== (format === FIRST_FORMAT ? digestOfAll(content) : digestOf(content))) {
    throw new CompiledPolicyError(
      'The compiled policy was changed after it was compiled: its digest does not match. Compile it again.',
    );
  }
  try {
    // They are not in the digest, and decisions name them.
    if (!content.files.every((file) => typeof file === 'string'))
      throw new TypeError('Its files have no names.');
    return preparePolicy(data as CompiledPolicy);
  } catch (cause) {
    throw new CompiledPolicyError('The compiled policy is damaged. Compile it again.', { cause });
  }
}
