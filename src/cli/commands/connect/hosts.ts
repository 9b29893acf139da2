import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preparePolicy } from '../../../engine/policy.js';
import { UsageError } from '../../errors.js';
import { readPolicyInput } from '../../inputs/policy-input.js';
import { commandOf } from '../../options/command-line.js';
import { hostsCommand } from '../../options/generated/commands.js';
import { requireServer } from '../../options/input-options.js';
import { onePolicyOf } from '../../options/policy-option.js';
import { readPreferences } from '../../options/preferences.js';
import { absoluteCommand } from '../../serving/absolute-command.js';
import { hostSnippets, type ServerCommand } from '../../serving/host-snippets.js';
import type { Io } from '../../terminal/output.js';

/** The name of the server in each host. */
const NAME = 'concerns';

/**
 * @throws {CliError} if an argument is not valid, or the policy has errors or no such preset
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--preset', 'safe', '--', 'node', 'server.js']);
 */
export const { definition, run } = commandOf(hostsCommand(), async (line) => {
  const { values, command, terminal } = line;
  const paths = onePolicyOf(line);
  // Checks that there is exactly one server, as `serve` will.
  requireServer(line);
  const policy = preparePolicy(readPolicyInput(paths, 'nothing was printed', terminal));
  const { host, preset, server, url, header = [] } = values;
  const concern = preset === undefined ? [] : [`preset=${preset}`];
  readPreferences(policy, { concern });

  const serve = serveOverStdio(
    [
      ...paths.flatMap((path) => ['--policy', resolve(path)]),
      ...concern.flatMap((each) => ['--concern', each]),
      ...(server === undefined ? [] : ['--server', existsSync(server) ? resolve(server) : server]),
      ...(url === undefined ? [] : ['--url', url]),
      ...header.flatMap((each) => ['--header', each]),
      ...(command.length === 0 ? [] : ['--', ...absoluteCommand(command, terminal.env.PATH)]),
    ],
    terminal,
  );
  const snippets = hostSnippets(NAME, serve).filter(({ id }) => host === undefined || id === host);
  if (header.length > 0) terminal.note('note: the header is part of the configuration. Do not commit it.');
  for (const { name, file, text } of snippets) {
    if (host !== undefined) terminal.note(`${name}: ${file}`);
    terminal.print(
      host === undefined ? `${terminal.paper.paint('bold', `${name}: ${file}`)}\n\n${text}\n` : text,
    );
  }
});

/** @returns how a host starts `serve` with these arguments */
export function serveOverStdio(args: readonly string[], io: Pick<Io, 'argv'>): ServerCommand {
  const [, started] = io.argv;
  if (started === undefined)
    throw new UsageError('The path of this program is not known. Start it with Node.js');
  // The bundle of the command line is one file beside its parts.
  const own = fileURLToPath(new URL('./main.js', import.meta.url));
  const program = existsSync(own) ? own : resolve(started);
  return { command: process.execPath, args: [program, 'serve', '--stdio', ...args] };
}
