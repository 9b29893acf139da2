import { type Policy, preparePolicy } from '../../core/engine/policy.js';
import { openCompiledPolicy } from '../../core/policy/compile/compiled.js';
import { UNLISTED } from '../../core/telemetry/report-fields.js';
import { CliError, UsageError } from '../errors.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { whyCommand } from '../options/generated/commands.js';
import { requireInput } from '../options/input-options.js';
import { onePolicyOf } from '../options/policy-option.js';
import { readPreferences } from '../options/preferences.js';
import { type ChosenLines, chosenLines } from '../reports/why/chosen-lines.js';
import { noDecision, parseLogLine, readLogLines, switchIn } from '../reports/why/log-line.js';
import { replay } from '../reports/why/replay.js';
import { replayToText, switchToText } from '../reports/why/replay-text.js';
import type { Terminal } from '../terminal/output.js';
import { partOf } from '../terminal/quantities.js';
import { readJson } from '../terminal/read-text.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, no line has a decision, or the policy or the input cannot be read
 * @example
 * await command.run(['policies/vault.yaml', 'log.json', '--catalog', 'policies/vault.catalog.json']);
 */
export const command: RunnableCommand = commandOf(whyCommand(), async (line) => {
  const { values, terminal } = line;
  const given = line.positionals[0].at(-1) ?? '';
  if (given.trim() === '') throw new UsageError('There is no LINE. Pass a log line, a file, or - for stdin');
  const paths = onePolicyOf(line);
  const input = requireInput(line);

  const lines = await readLogLines(given, terminal.stdin);
  const parsed = lines.flatMap((line) => parseLogLine(line) ?? []);
  const wanted: ChosenLines = { ...values, salt: terminal.env.MCP_CONCERNS_LOG_SALT ?? '' };
  const logged = chosenLines(
    parsed.filter(({ about }) => about.what === 'list' || about.name !== UNLISTED),
    wanted,
  );
  // What a caller switched has values, and no decision.
  const isAboutCaller = values.caller !== undefined && values.name === undefined;
  const switches = isAboutCaller
    ? chosenLines(
        lines.flatMap((line) => switchIn(line) ?? []),
        wanted,
      )
    : [];
  if (parsed.length === 0) throw noDecision(given);
  if (logged.length + switches.length === 0) {
    const salt =
      values.caller === undefined
        ? ''
        : ' MCP_CONCERNS_LOG_SALT must be the salt of the endpoint at that time.';
    throw new CliError(`No line of the log fits --caller, --name and --at.${salt}`);
  }
  const skipped = lines.length - parsed.length - switches.length;
  if (skipped > 0 && values.at === undefined)
    terminal.note(`note: ${partOf(skipped, lines.length, 'line', ['has', 'have'])} no decision.`);

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
    const all = [...told, ...switches.map(({ line: switched }) => ({ line: switched }))];
    writeJson(all.length === 1 ? all[0] : all, terminal);
  } else {
    const texts = [
      ...replays.map((each) => replayToText(policy, each, terminal.paper, values.name)),
      ...switches.map(switchToText),
    ];
    terminal.print(texts.join('\n'));
  }
  return replays.every(({ same }) => same) ? 0 : 1;
});

/** Reads a policy as an author writes it, or the compiled one that was deployed. */
function readAnyPolicy(paths: readonly string[], terminal: Terminal): Policy {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0 || !path.endsWith('.json')) {
    return preparePolicy(readPolicyInput(paths, 'nothing was decided', terminal));
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
