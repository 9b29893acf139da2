import type { CompiledPolicy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import { paperOf } from '../terminal/output.js';

/**
 * Reads a policy for a command, and prints its findings to stderr: warnings leave it usable.
 *
 * @param paths files and folders, merged into one policy
 * @param failed what errors mean for the command: its exit code, and what it did not do because of them
 * @param quiet whether warnings are left out where there is no error
 * @param paper what stderr can show
 * @returns the compiled policy
 * @throws {CliError} if the policy has errors
 * @throws {PolicyFileError} if a file cannot be read
 * @example
 * preparePolicy(readPolicyInput(['policies/vault.yaml'], { exitCode: 2, undone: 'nothing was started' }));
 */
export function readPolicyInput(
  paths: readonly string[],
  failed: { readonly exitCode: 1 | 2; readonly undone: string },
  quiet = false,
  paper = paperOf(process.stderr, 'never'),
): CompiledPolicy {
  const { compiled, findings, texts } = readPolicy(paths);
  const silent = quiet && compiled !== undefined;
  if (findings.length > 0 && !silent) console.error(`${findingsText(findings, texts, paper)}\n`);
  if (compiled !== undefined) return compiled;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const many = errors === 1 ? '1 error' : `${errors} errors`;
  throw new CliError(`The policy has ${many}, so ${failed.undone}.`, failed.exitCode);
}
