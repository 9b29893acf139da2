#!/usr/bin/env node
import { nearest } from '../engine/match/nearest.js';
import { Interrupted } from './errors.js';
import { quickStart } from './startup.js';
import { wrapped } from './terminal/layout.js';
import { VERSION } from './version.js';

interface Command {
  readonly help: string;
  run(argv: string[]): Promise<number>;
}

/** Each command loads only what it needs: `compile` no SDK, `serve` no tokenizer. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['check', () => import('./commands/check.js')],
  ['list', () => import('./commands/list.js')],
  ['explain', () => import('./commands/explain.js')],
  ['tokens', () => import('./commands/tokens.js')],
  ['snapshot', () => import('./commands/snapshot.js')],
  ['test', () => import('./commands/test.js')],
  ['diff', () => import('./commands/diff.js')],
  ['init', () => import('./commands/init.js')],
  ['fmt', () => import('./commands/fmt.js')],
  ['serve', () => import('./commands/serve.js')],
  ['compile', () => import('./commands/compile.js')],
]);

const HELP = `Usage: mcp-concerns COMMAND [options]

Filters what MCP servers list by concerns, as a policy describes them.

Commands:
  init      write a first policy for a server, with tests
  check     say everything that is wrong with policies
  test      run policy tests, and show what none of them exercises
  list      show what a policy leaves of a server's lists, what goes and why
  explain   say why one tool is shown or hidden, and what turns it around
  diff      show what a change of a policy or of a server does to hosts
  tokens    count what primitives and configurations cost
  snapshot  write what a server lists as a catalog file
  fmt       format policies
  compile   check a policy and write it as JSON
  serve     serve a server with a policy on 127.0.0.1

All take --color auto|always|never and --quiet. Those that read a server take
one of --catalog FILE, --url URL [--header 'NAME: VALUE'], or -- COMMAND ARGS.
"mcp-concerns COMMAND --help" tells more; "mcp-concerns --version" the version.

Examples:
  mcp-concerns init -- npx @playwright/mcp
  mcp-concerns list --policy policies/playwright.yaml \\
      --concern effect=read-only -- npx @playwright/mcp
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
    const near = nearest(name, [...COMMANDS.keys(), '--help', '--version']);
    const hint =
      near === undefined ? `the commands are ${[...COMMANDS.keys()].join(', ')}.` : `did you mean "${near}"?`;
    complain(`There is no ${what} "${name}"; ${hint}`);
    return 2;
  }
  if (name !== 'serve') quickStart();
  const command = await load();
  // What stands after -- belongs to somebody else's command.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(command.help);
    return 0;
  }
  return command.run(rest);
}

/** One sentence for every error: those of ours say what to do, and a stack would only hide it. */
function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  complain(error instanceof Error ? error.message : String(error));
  return error instanceof Error && 'exitCode' in error && error.exitCode === 1 ? 1 : 2;
}

function complain(message: string): void {
  const text = `mcp-concerns: ${message}`;
  const { isTTY, columns } = process.stderr;
  process.stderr.write(`${isTTY ? wrapped('', text.split(' '), ' ', columns).join('\n') : text}\n`);
}

let unwritten: NodeJS.ErrnoException | undefined;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `| head` closes the pipe when it has seen enough: no error. A full disk is one.
    if (error.code !== 'EPIPE') unwritten = error;
  });
}

const exitCode = await main(process.argv.slice(2)).catch(exitCodeOf);
// A user's server may keep timers running; what was written must be out before they are cut off.
const flushed = (stream: NodeJS.WriteStream) => new Promise((done) => stream.write('', done));
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
if (unwritten !== undefined) complain(`The output cannot be written (${unwritten.code}).`);
process.exit(unwritten === undefined ? exitCode : 2);
