import type { CompiledPolicy } from '../../core/engine/policy.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import type { Terminal } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { withoutSessions } from './session-findings.js';

/**
 * Reads the policy of a command, and prints its findings to stderr. A policy with warnings can be used.
 *
 * @param paths files and folders, merged into one policy
 * @param consequence what the command did not do if the policy has errors, for the message
 * @param terminal how text is written to stderr; under `--quiet` no warnings are
 * @param servers the names of all servers behind the endpoint, if it has several
 * @param exitCode of the command if the policy has errors
 * @param keepsSessions whether preferences are kept in the ids of sessions
 * @returns the compiled policy
 * @throws {CliError} if the policy has errors
 * @throws {PolicyFileError} if a file cannot be read
 * @example
 * readPolicyInput(['policies/vault.yaml'], 'nothing was started', terminal);
 */
export function readPolicyInput(
  paths: readonly string[],
  consequence: string,
  { quiet, errors: paper, warn }: Pick<Terminal, 'quiet' | 'errors' | 'warn'>,
  servers?: readonly string[],
  exitCode: 1 | 2 = 2,
  keepsSessions = false,
): CompiledPolicy {
  const { compiled, findings: all, texts } = readPolicy(paths, undefined, undefined, servers);
  const findings = keepsSessions ? all : withoutSessions(all);
  const silent = quiet && compiled !== undefined;
  if (findings.length > 0 && !silent) warn(`${findingsText(findings, texts, paper)}\n`);
  if (compiled !== undefined) return compiled;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  throw new CliError(
    `The policy has ${quantity(errors, 'error')}, so ${consequence}. Fix the errors above.`,
    {
      exitCode,
    },
  );
}
