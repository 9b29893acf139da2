import { type Policy, preparePolicy } from '../../engine/policy.js';
import { UNLISTED } from '../../http/log/report-fields.js';
import { openCompiledPolicy } from '../../policy/compile/compiled.js';
import { CliError, UsageError } from '../errors.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { commandOf } from '../options/command-line.js';
import { replayCommand } from '../options/generated/commands.js';
import { requireInput } from '../options/input-options.js';
import { onePolicyOf } from '../options/policy-option.js';
import { readPreferences } from '../options/preferences.js';
import { noDecision, parseLogLine, readLogLines } from '../reports/log-line.js';
import { replay } from '../reports/replay.js';
import { replayToText } from '../reports/replay-text.js';
import type { Terminal } from '../terminal/output.js';
import { readJson } from '../terminal/read-text.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, no line has a decision, or the policy or the input cannot be read
 * @example
 * await run(['log.json', '--policy', 'policies/vault.yaml', '--catalog', 'policies/vault.catalog.json']);
 */
export const { definition, run } = commandOf(replayCommand(), async (line) => {
  const { values, terminal } = line;
  const [given] = line.positionals;
  if (given.trim() === '') throw new UsageError('There is no LINE. Pass a log line, a file, or - for stdin');
  const paths = onePolicyOf(line);
  const input = requireInput(line);

  const lines = await readLogLines(given, terminal.stdin);
  const parsed = lines.flatMap((line) => parseLogLine(line) ?? []);
  const logged = parsed.filter(({ about }) => about.what === 'list' || about.name !== UNLISTED);
  if (logged.length === 0) throw noDecision(given);
  const skipped = lines.length - logged.length;
  if (skipped > 0) terminal.note(`note: ${skipped} of ${lines.length} lines have no decision to replay.`);

  const written = readAnyPolicy(paths, terminal);
  const { caller } = readPreferences(written, values, FULL_CLIENT_CAPABILITIES);
  const catalog = await readInput(input, terminal);
  const policy = policyFor(written, catalog);
  const replays = logged.map((each) => replay(each, policy, catalog, caller));
  if (values.format === 'json') {
    const told = replays.map(({ same, intact, logged: { line }, replayed, differences }) => ({
      same,
      intact,
      line,
      replayed,
      differences,
    }));
    writeJson(told.length === 1 ? told[0] : told, terminal);
  } else terminal.print(replays.map((each) => replayToText(policy, each, terminal.paper)).join('\n'));
  return replays.every(({ same }) => same) ? 0 : 1;
});

/** Reads a policy as an author writes it, or the compiled one that was deployed. */
function readAnyPolicy(paths: readonly string[], terminal: Terminal): Policy {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0 || !path.endsWith('.json')) {
    return preparePolicy(readPolicyInput(paths, 'nothing was replayed', terminal));
  }
  const unusable = (why: string): string =>
    `${path} cannot be used: ${why} Pass a policy file, or the policy.json that "mcp-concerns bundle" made.`;
  const compiled = readJson(path, 'Check the path of the policy.', () => unusable('it is not JSON.'));
  try {
    return openCompiledPolicy(compiled);
  } catch (cause) {
    throw new CliError(unusable(cause instanceof Error ? cause.message : String(cause)), { cause });
  }
}
