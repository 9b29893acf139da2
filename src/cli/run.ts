import { CommanderError } from '@commander-js/extra-typings';
import { didYouMean } from '../core/engine/match/did-you-mean.js';
import { Interrupted, UsageError } from './errors.js';
import type { LoadCommand } from './options/command-line.js';
import { HELPS, MAIN } from './options/generated/help.js';
import { type Io, terminalOf } from './terminal/output.js';
import { VERSION } from './version.js';

/** Each command is loaded only when it is called: `compile` needs no SDK, and `serve` needs no tokenizer. */
const COMMANDS: ReadonlyMap<string, LoadCommand> = new Map([
  ['setup', () => import('./commands/setup.js')],
  ['init', () => import('./commands/init.js')],
  ['check', () => import('./commands/check.js')],
  ['test', () => import('./commands/test.js')],
  ['list', () => import('./commands/list.js')],
  ['explain', () => import('./commands/explain.js')],
  ['diff', () => import('./commands/diff.js')],
  ['tokens', () => import('./commands/tokens.js')],
  ['pin', () => import('./commands/server/pin.js')],
  ['why', () => import('./commands/why.js')],
  ['serve', () => import('./commands/serve.js')],
  ['bundle', () => import('./commands/lambda/bundle.js')],
  ['switch', () => import('./commands/switch.js')],
  ['lsp', () => import('./commands/lsp.js')],
]);

/** `bundle` and the plugin start it as a process of its own, because the module of a server can do anything. */
const COMPILE: LoadCommand = () => import('./commands/lambda/compile.js');

/** What commands were called before, for one more version. */
const RENAMED: ReadonlyMap<string, string> = new Map([['replay', 'why']]);

/** `init --lambda` writes other files than `init`, and so has options and a help of its own. */
const INIT_LAMBDA: LoadCommand = () => import('./commands/lambda/init.js');

const LINES = Object.entries(HELPS).flatMap(([name, help]) =>
  'summary' in help ? [`  ${name.padEnd(12)}${help.summary}`] : [],
);
const HELP = `${MAIN.about}\n${LINES.join('\n')}\n\n${MAIN.after}\n`;

/**
 * Runs a command line, and returns its exit code. `main.ts` gives it the streams of the process, and a test its own.
 *
 * @param argv the arguments
 * @param io the streams and the environment
 * @returns 0: done. 1: there are findings. 2: the usage is wrong, or something cannot be read, reached or started
 * @example
 * await run(['check', 'policy.yaml'], process); // 0
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    // --help was printed.
    if (error instanceof Interrupted || error instanceof CommanderError) return error.exitCode;
    // Our messages say what to do, and a stack trace would hide that.
    complain(error instanceof Error ? error.message : String(error), io);
    return error instanceof Error && 'exitCode' in error && error.exitCode === 1 ? 1 : 2;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  // Without a command, a person wants what the program is for.
  const [given = 'setup', ...rest] = argv;
  const name = RENAMED.get(given) ?? given;
  const isVersion = name === '--version';
  if (isVersion || ['--help', '-h', 'help'].includes(name)) {
    io.stdout.write(isVersion ? `${VERSION}\n` : HELP);
    return 0;
  }
  const load = name === 'compile' ? COMPILE : COMMANDS.get(name);
  if (load === undefined) {
    const what = name.startsWith('-') ? 'option' : 'command';
    const hint = didYouMean(name, [...COMMANDS.keys(), '--help', '--version']);
    complain(
      `There is no ${what} "${name}".${hint || ` The commands are ${[...COMMANDS.keys()].join(', ')}.`}`,
      io,
    );
    return 2;
  }
  if (name !== given) complain(`"${given}" is now called "${name}", and works for this version only.`, io);
  const isInitLambda = name === 'init' && rest.includes('--lambda');
  const { command } = await (isInitLambda ? INIT_LAMBDA() : load());
  return command.run(rest, io).catch((error: unknown) => {
    const end = error instanceof UsageError && error.message.endsWith('?') ? '' : '.';
    if (error instanceof UsageError) error.message += `${end} See "${command.definition.name()} --help".`;
    throw error;
  });
}

/** Prints a message as the program's own. */
export function complain(message: string, io: Io): void {
  terminalOf(io, { color: 'never' }).note(`mcp-concerns: ${message}`.split('\n'));
}
