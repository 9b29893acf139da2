#!/usr/bin/env node
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { didYouMean } from '../engine/match/did-you-mean.js';
import { wrapped } from '../policy/language/wrapped.js';
import { Interrupted } from './errors.js';
import { speedUpStartup } from './startup.js';
import { paperOf } from './terminal/output.js';
import { VERSION } from './version.js';

interface Command {
  readonly definition: CommandUnknownOpts;
  run(argv: string[], commands: ReadonlyMap<string, () => Promise<Command>>): Promise<number>;
}

/** Each command is loaded only when it is called: `compile` needs no SDK, and `serve` needs no tokenizer. */
const LISTED: readonly (readonly [name: string, summary: string, load: () => Promise<Command>])[] = [
  ['init', 'write a first policy for a server, with tests', () => import('./commands/init.js')],
  ['check', 'report every problem in each policy file', () => import('./commands/check.js')],
  ['test', 'run the tests of policies, and show what no test exercises', () => import('./commands/test.js')],
  ['list', 'show which primitives are visible, which are hidden and why', () => import('./commands/list.js')],
  [
    'explain',
    'show why one primitive is shown or hidden, and what changes that',
    () => import('./commands/explain.js'),
  ],
  ['diff', 'show how a change of a policy or a server affects hosts', () => import('./commands/diff.js')],
  ['tokens', 'count the tokens of primitives and configurations', () => import('./commands/tokens.js')],
  ['docs', 'write a page about a policy, for people', () => import('./commands/docs.js')],
  ['snapshot', 'save the catalog of a server to a file', () => import('./commands/server/snapshot.js')],
  [
    'pin',
    'pin the definitions of a server, and review what changed since',
    () => import('./commands/server/pin.js'),
  ],
  ['fmt', 'format policy files', () => import('./commands/fmt.js')],
  ['compile', 'check a policy and write it as JSON', () => import('./commands/compile.js')],
  ['replay', 'make the decision of a log line again, and compare', () => import('./commands/replay.js')],
  ['serve', 'serve an MCP server with a policy', () => import('./commands/serve.js')],
  ['bundle', 'make the folder of a Lambda function', () => import('./commands/lambda/bundle.js')],
  ['switch', 'switch what a running serve shows to its hosts', () => import('./commands/switch.js')],
  [
    'adopt',
    "put all servers of a host's file behind one policy",
    () => import('./commands/connect/adopt.js'),
  ],
  ['hosts', 'print how to configure each host', () => import('./commands/connect/hosts.js')],
  ['open', 'edit a policy in a browser, and see what it shows', () => import('./commands/open.js')],
  ['lsp', 'serve policies to an editor: findings, completions, fixes', () => import('./commands/lsp.js')],
  [
    'completion',
    'write a script that completes command lines in your shell',
    () => import('./commands/completion.js'),
  ],
];
const COMMANDS = new Map(LISTED.map(([name, , load]) => [name, load]));

/** `init --lambda` writes other files than `init`, and so has options and a help of its own. */
const INIT_LAMBDA = (): Promise<Command> => import('./commands/lambda/init.js');

const HELP = `Filters what MCP servers list by concerns, as a policy describes them.

Usage: mcp-concerns COMMAND [options]

Commands:
${LISTED.map(([name, summary]) => `  ${name.padEnd(12)}${summary}`).join('\n')}

All commands take --color auto|always|never and --quiet. Commands that read a
server take one of: -- COMMAND ARGS, --url URL [--header 'NAME: VALUE'],
--catalog FILE. Run "mcp-concerns COMMAND --help" for the options of a command,
"mcp-concerns --version" for the version.

Examples:
  mcp-concerns init -o policy.yaml -- npx -y @playwright/mcp
  mcp-concerns list --policy policy.yaml --concern effect=read-only \\
      -- npx -y @playwright/mcp
`;

async function main(argv: string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined) {
    process.stderr.write(HELP);
    return 2;
  }
  const isVersion = name === '--version';
  if (isVersion || ['--help', '-h', 'help'].includes(name)) {
    process.stdout.write(isVersion ? `${VERSION}\n` : HELP);
    return 0;
  }
  const load = COMMANDS.get(name);
  if (load === undefined) {
    const what = name.startsWith('-') ? 'option' : 'command';
    const hint = didYouMean(name, [...COMMANDS.keys(), '--help', '--version']);
    complain(
      `There is no ${what} "${name}".${hint || ` The commands are ${[...COMMANDS.keys()].join(', ')}.`}`,
    );
    return 2;
  }
  if (name !== 'serve' && name !== 'lsp') speedUpStartup();
  const command = name === 'init' && rest.includes('--lambda') ? await INIT_LAMBDA() : await load();
  return command.run(rest, COMMANDS);
}

/** Prints only the message of an error. Our messages say what to do, and a stack trace would hide that. */
function exitCodeOf(error: unknown): number {
  // --help was printed.
  if (error instanceof Interrupted || error instanceof CommanderError) return error.exitCode;
  complain(error instanceof Error ? error.message : String(error));
  return error instanceof Error && 'exitCode' in error && error.exitCode === 1 ? 1 : 2;
}

function complain(message: string): void {
  const text = `mcp-concerns: ${message}`;
  const { width } = paperOf(process.stderr);
  const lines = text.split('\n');
  const fitting =
    width === undefined ? lines : lines.flatMap((line) => wrapped('', line.split(' '), ' ', width));
  process.stderr.write(`${fitting.join('\n')}\n`);
}

let writeError: NodeJS.ErrnoException | undefined;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `| head` closes the pipe when it has read enough. This is not an error, but a full disk is.
    if (error.code !== 'EPIPE') writeError = error;
  });
}

const exitCode = await main(process.argv.slice(2)).catch(exitCodeOf);
// A server module may keep timers running, so the process exits explicitly, after all output is written.
const flushed = (stream: NodeJS.WriteStream) => new Promise((done) => stream.write('', done));
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
if (writeError !== undefined) complain(`The output cannot be written (${writeError.code}).`);
process.exit(writeError === undefined ? exitCode : 2);
