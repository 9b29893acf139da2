import { type Policy, preparePolicy } from '../../engine/policy.js';
import { openCompiledPolicy } from '../../policy/compile/compiled.js';
import { callerHash } from '../../telemetry/entries.js';
import { UNLISTED } from '../../telemetry/report-fields.js';
import { read } from '../../wire/messages.js';
import { CliError, UsageError } from '../errors.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { commandOf } from '../options/command-line.js';
import { type Options, replayCommand } from '../options/generated/commands.js';
import { requireInput } from '../options/input-options.js';
import { onePolicyOf } from '../options/policy-option.js';
import { readPreferences } from '../options/preferences.js';
import { type LoggedDecision, noDecision, parseLogLine, readLogLines } from '../reports/log-line.js';
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
  const logged = chosen(
    parsed.filter(({ about }) => about.what === 'list' || about.name !== UNLISTED),
    values,
  );
  if (logged.length === 0) throw noDecision(given);
  const skipped = lines.length - parsed.length;
  if (skipped > 0 && values.at === undefined)
    terminal.note(`note: ${skipped} of ${lines.length} lines have no decision to replay.`);

  const written = readAnyPolicy(paths, terminal);
  const { caller } = readPreferences(written, values, FULL_CLIENT_CAPABILITIES);
  const catalog = await readInput(input, terminal);
  const policy = policyFor(written, catalog);
  const replays = logged.map((each) => replay(each, policy, catalog, caller, values.name));
  if (values.format === 'json') {
    const told = replays.map(({ same, intact, logged: { line }, replayed, members, differences }) => ({
      same,
      intact,
      line,
      replayed,
      members,
      differences,
    }));
    writeJson(told.length === 1 ? told[0] : told, terminal);
  } else terminal.print(replays.map((each) => replayToText(policy, each, terminal.paper)).join('\n'));
  return replays.every(({ same }) => same) ? 0 : 1;
});

/** Keeps the lines that the options ask for. */
function chosen(
  lines: readonly LoggedDecision[],
  { caller, issuer = '', name, at }: Pick<Options['replay'], 'caller' | 'issuer' | 'name' | 'at'>,
): readonly LoggedDecision[] {
  const salt = process.env.MCP_CONCERNS_LOG_SALT ?? '';
  if (caller !== undefined && salt === '')
    throw new UsageError('--caller needs the salt of the log. Set MCP_CONCERNS_LOG_SALT');
  const hashes = caller && ['sub', 'client'].map((kind) => callerHash([issuer, kind, caller], salt));
  const until = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at.includes('Z') ? at : `${at}Z`);
  if (Number.isNaN(until)) throw new UsageError('--at takes a time, such as 2026-11-28T02:14');
  const found = lines.filter(({ line, about }) => {
    const isOf = hashes === undefined || [...hashes, caller].includes(String(read(line, 'caller')));
    const isAbout = name === undefined || about.what === 'list' || about.name === name;
    // To the end of the minute or second that was named.
    const within = { 16: 60_000, 19: 1000 }[at?.replace('Z', '').length ?? 0] ?? 0;
    return (
      isOf && isAbout && (at === undefined || Date.parse(String(read(line, 'timestamp'))) < until + within)
    );
  });
  if (found.length === 0) throw new CliError('No line of the log fits --caller, --name and --at.');
  return at === undefined ? found : found.slice(-1);
}

/** Reads a policy as an author writes it, or the compiled one that was deployed. */
function readAnyPolicy(paths: readonly string[], terminal: Terminal): Policy {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0 || !path.endsWith('.json')) {
    return preparePolicy(readPolicyInput(paths, 'nothing was replayed', terminal));
  }
  const unusable = (why: string): string =>
    `${path} cannot be used: ${why} Pass a policy file, or one that "mcp-concerns compile" wrote.`;
  const compiled = readJson(path, 'Check the path of the policy.', () => unusable('it is not JSON.'));
  try {
    return openCompiledPolicy(compiled);
  } catch (cause) {
    throw new CliError(unusable(cause instanceof Error ? cause.message : String(cause)), { cause });
  }
}
