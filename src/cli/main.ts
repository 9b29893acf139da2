#!/usr/bin/env node
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { didYouMean } from '../engine/match/did-you-mean.js';
import { Interrupted } from './errors.js';
import { speedUpStartup } from './startup.js';
import { wrapped } from './terminal/layout.js';
import { VERSION } from './version.js';

interface Command {
  readonly definition: CommandUnknownOpts;
  run(argv: string[], commands: ReadonlyMap<string, () => Promise<Command>>): Promise<number>;
}

/** Each command is loaded only when it is called: `compile` needs no SDK, and `serve` needs no tokenizer. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['init', () => import('./commands/init.js')],
  ['check', () => import('./commands/check.js')],
  ['test', () => import('./commands/test.js')],
  ['list', () => import('./commands/list.js')],
  ['explain', () => import('./commands/explain.js')],
  ['diff', () => import('./commands/diff.js')],
  ['tokens', () => import('./commands/tokens.js')],
  ['docs', () => import('./commands/docs.js')],
  ['snapshot', () => import('./commands/snapshot.js')],
  ['fmt', () => import('./commands/fmt.js')],
  ['compile', () => import('./commands/compile.js')],
  ['replay', () => import('./commands/replay.js')],
  ['serve', () => import('./commands/serve.js')],
  ['bundle', () => import('./commands/lambda/bundle.js')],
  ['switch', () => import('./commands/switch.js')],
  ['card', () => import('./commands/connect/card.js')],
  ['hosts', () => import('./commands/connect/hosts.js')],
  ['open', () => import('./commands/open.js')],
  ['lsp', () => import('./commands/lsp.js')],
  ['completion', () => import('./commands/completion.js')],
]);

/** `init --lambda` writes other files than `init`, and so has options and a help of its own. */
const INIT_LAMBDA = (): Promise<Command> => import('./commands/lambda/init.js');

const HELP = `Filters what MCP servers list by concerns, as a policy describes them.

Usage: mcp-concerns COMMAND [options]

Commands:
  init        write a first policy for a server, with tests
  check       report every problem in each policy file
  test        run the tests of policies, and show what no test exercises
  list        show which primitives are visible, which are hidden and why
  explain     show why one primitive is shown or hidden, and what changes that
  diff        show how a change of a policy or a server affects hosts
  tokens      count the tokens of primitives and configurations
  docs        write a page about a policy, for people
  snapshot    save the catalog of a server to a file
  fmt         format policy files
  compile     check a policy and write it as JSON
  replay      make the decision of a log line again, and compare
  serve       serve an MCP server with a policy on 127.0.0.1
  bundle      make the folder of a Lambda function
  switch      switch what a running serve shows to its hosts
  card        print what a host can choose before it connects
  hosts       print how to configure each host
  open        edit a policy in a browser, and see what it shows
  lsp         serve policies to an editor: findings, completions, fixes
  completion  write a script that completes command lines in your shell

All commands take --color auto|always|never and --quiet. Commands that read a
server take one of: -- COMMAND ARGS, --url URL [--header 'NAME: VALUE'],
--catalog FILE. Run "mcp-concerns COMMAND --help" for the options of a command,
"mcp-concerns --version" for the version.

Examples:
  mcp-concerns init -o policy.yaml -- npx @playwright/mcp
  mcp-concerns list --policy policy.yaml --concern effect=read-only \\
      -- npx @playwright/mcp
`;

async function main(argv: string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined) {
    process.stderr.write(HELP);
    return 2;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (name === '--version') {
    process.stdout.write(`${VERSION}\n`);
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
  const { isTTY, columns } = process.stderr;
  process.stderr.write(`${isTTY ? wrapped('', text.split(' '), ' ', columns).join('\n') : text}\n`);
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
