import type { CompiledPolicy } from '../../core/engine/compiled-policy.js';
import { type Policy, preparePolicy } from '../../core/engine/policy.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { parsePolicy } from '../../core/policy/compile/parse.js';
import type { Finding } from '../../core/policy/language/findings.js';
import { readPolicyText } from '../../core/policy/language/read-yaml.js';
import { runTestFile } from '../../core/policy/testing/run-test-file.js';
import { CliError } from '../errors.js';
import { withoutSessions } from '../inputs/session-findings.js';

/** A policy that has no errors. */
export interface CheckedProposal {
  readonly compiled: CompiledPolicy;
  readonly policy: Policy;
  readonly findings: readonly Finding[];
}

/**
 * Checks a policy before it is put in its place, as `mcp-concerns check --catalog` does.
 *
 * @param files the texts of the policy's files, by path with `/`; the first one is the policy
 * @param catalog the catalog to check against
 * @returns the policy and all findings
 * @throws {CliError} if the policy has errors
 * @example
 * const { findings } = checkProposal(new Map([['policy.yaml', text]]), catalog);
 */
export function checkProposal(files: ReadonlyMap<string, string>, catalog: PolicyCatalog): CheckedProposal {
  const { compiled, findings } = parsePolicy(files, catalog);
  if (compiled === undefined) {
    const [error] = findings.filter(({ severity }) => severity === 'error');
    throw new CliError(
      `Nothing was written, because the policy would have errors. This is a bug in mcp-concerns: ${error?.message}`,
    );
  }
  return { compiled, policy: preparePolicy(compiled), findings: withoutSessions(findings) };
}

/**
 * Runs the tests of a policy before the test file is put in its place.
 *
 * @param text the test file
 * @param file the name of the test file
 * @param policy the policy
 * @param catalog the catalog that the tests run on
 * @returns whether all tests pass
 */
export const testsPass = (text: string, file: string, policy: Policy, catalog: PolicyCatalog): boolean =>
  runTestFile(readPolicyText(text, file), policy, catalog).passed;
