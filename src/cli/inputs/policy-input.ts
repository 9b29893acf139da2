import type { CompiledPolicy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import { paperOf } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';

/**
 * Reads the policy of a command, and prints its findings to stderr. A policy with warnings can be used.
 *
 * @param paths files and folders, merged into one policy
 * @param failure if the policy has errors: the exit code of the command, and what it did not do, for the message
 * @param quiet true to print no warnings
 * @param paper how text is written to stderr
 * @returns the compiled policy
 * @throws {CliError} if the policy has errors
 * @throws {PolicyFileError} if a file cannot be read
 * @example
 * readPolicyInput(['policies/vault.yaml'], { exitCode: 2, consequence: 'nothing was started' });
 */
export function readPolicyInput(
  paths: readonly string[],
  { exitCode, consequence }: { readonly exitCode: 1 | 2; readonly consequence: string },
  quiet = false,
  paper = paperOf(process.stderr, 'never'),
): CompiledPolicy {
  const { compiled, findings, texts } = readPolicy(paths);
  const silent = quiet && compiled !== undefined;
  if (findings.length > 0 && !silent) console.error(`${findingsText(findings, texts, paper)}\n`);
  if (compiled !== undefined) return compiled;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  throw new CliError(
    `The policy has ${quantity(errors, 'error')}, so ${consequence}. Fix the errors above.`,
    {
      exitCode,
    },
  );
}
