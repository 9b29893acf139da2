import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preparePolicy } from '../../engine/policy.js';
import { UsageError } from '../errors.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { oneOf, readArguments, refusePositionals } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { splitCommand } from '../options/input-options.js';
import { POLICY_HELP, POLICY_OPTION, requirePolicy } from '../options/policy-option.js';
import { readPreferences } from '../options/preferences.js';
import { absoluteCommand } from '../serving/absolute-command.js';
import { chooseServer } from '../serving/choose-server.js';
import { HOST_IDS, hostSnippets, type ServerCommand } from '../serving/host-snippets.js';

export const help = `Prints how to configure each host, so that it starts a server with a policy.

Usage: mcp-concerns hosts --policy PATH [--preset NAME] -- COMMAND [ARGS...]

Hosts: Claude Code, Claude Desktop, VS Code, Cursor, Gemini CLI, Codex,
opencode, Copilot CLI, Zed. All paths are absolute.

Options:
${POLICY_HELP}
  --preset NAME         what the host is shown first
  --host NAME           only one host, without a heading:
                        ${HOST_IDS.slice(0, 5).join(', ')},
                        ${HOST_IDS.slice(5).join(', ')}
  --url URL, --header 'NAME: VALUE', --server MODULE
                        other servers than a command, as in "serve"
${COMMON_HELP}

Exit codes: 0 printed; 2 invalid arguments or policy.

Example:
  mcp-concerns hosts --policy policy.yaml --preset safe -- npx @playwright/mcp
`;

const OPTIONS = {
  ...POLICY_OPTION,
  preset: { type: 'string' },
  host: { type: 'string' },
  server: { type: 'string' },
  url: { type: 'string' },
  header: { type: 'string', multiple: true },
  ...COMMON_OPTIONS,
} as const;

/** The name of the server in each host. */
const NAME = 'concerns';

/**
 * @param argv the arguments after `hosts`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, or the policy has errors or no such preset
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--preset', 'safe', '--', 'node', 'server.js']);
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('hosts', own, OPTIONS);
  refusePositionals('hosts', positionals);
  const { quiet, errors, paper, note } = readCommon('hosts', values);
  const host = values.host === undefined ? undefined : oneOf('hosts', '--host', values.host, HOST_IDS);
  const paths = requirePolicy('hosts', values.policy);
  // Checks that there is exactly one server, as `serve` will.
  chooseServer(values, command, 'hosts');
  const failure = { exitCode: 2, consequence: 'nothing was printed' } as const;
  const policy = preparePolicy(readPolicyInput(paths, failure, quiet, errors));
  const { preset, server, url, header = [] } = values;
  const concern = preset === undefined ? [] : [`preset=${preset}`];
  readPreferences(policy, { concern });

  const serve: ServerCommand = {
    command: process.execPath,
    args: [
      programFile(),
      'serve',
      '--stdio',
      ...paths.flatMap((path) => ['--policy', resolve(path)]),
      ...concern.flatMap((each) => ['--concern', each]),
      ...(server === undefined ? [] : ['--server', existsSync(server) ? resolve(server) : server]),
      ...(url === undefined ? [] : ['--url', url]),
      ...header.flatMap((each) => ['--header', each]),
      ...(command.length === 0 ? [] : ['--', ...absoluteCommand(command, process.env.PATH)]),
    ],
  };
  const snippets = hostSnippets(NAME, serve).filter(({ id }) => host === undefined || id === host);
  if (header.length > 0) note('note: the header is part of the configuration. Do not commit it.');
  for (const { name, file, text } of snippets) {
    if (host !== undefined) note(`${name}: ${file}`);
    process.stdout.write(
      host === undefined ? `${paper.paint('bold', `${name}: ${file}`)}\n\n${text}\n` : text,
    );
  }
  return 0;
}

/** @returns the file of this program: the bundle of the command line is one file beside its parts */
function programFile(): string {
  const [, started] = process.argv;
  if (started === undefined)
    throw new UsageError('hosts', 'The path of this program is not known. Start it with Node.js');
  const own = fileURLToPath(new URL('./main.js', import.meta.url));
  return existsSync(own) ? own : resolve(started);
}
