import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { run } from './run.js';

/** @returns what a user sees outside a terminal: the command line, both streams, and the exit code */
export async function shown(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  const line = args.map((arg) => (/[\s"'{]/.test(arg) ? `'${arg}'` : arg)).join(' ');
  const parts = [`$ mcp-concerns ${line}\n`, stdout, stderr === '' ? '' : `(stderr)\n${stderr}`];
  return `${parts.join('')}(exit ${code})\n`;
}

export const PLAYWRIGHT = [
  'node',
  'node_modules/@playwright/mcp/cli.js',
  '--caps=config,devtools,network,pdf,storage,testing,vision',
] as const;

export const EVERYTHING = [
  'node',
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  'stdio',
] as const;

/** The catalog of a server that cannot be started in tests. The file is not part of this repository. */
export const GITHUB = '../shared/catalogs/github.json';

/**
 * Runs a command in a pseudo-terminal of `script` (util-linux), in which a person types a text. Returns undefined if that or
 * the command fails.
 */
export async function inTerminal(columns: number, command: string, typed = ''): Promise<string | undefined> {
  const line = `stty cols ${columns} rows 50; ${command}`;
  const env = { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh' };
  try {
    const running = promisify(execFile)('script', ['-qec', line, '/dev/null'], { encoding: 'utf8', env });
    if (typed !== '') running.child.stdin?.write(typed);
    return (await running).stdout.replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}

/**
 * Runs a command in a pseudo-terminal, in which a person answers the first question after reading it. Something else can happen
 * meanwhile.
 */
export async function answered(
  command: string,
  answer: string,
  environment = process.env,
  meanwhile?: () => void,
): Promise<string> {
  const env = { ...environment, TERM: 'xterm-256color', SHELL: '/bin/sh' };
  const running = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  let said = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasAsked = said.includes('[y/N] ');
    said += text;
    // A person is slower than the first read of the program, which nothing shows from outside.
    if (wasAsked || !said.includes('[y/N] ')) return;
    meanwhile?.();
    setTimeout(() => running.stdin.write(`${answer}\n`), 300);
  });
  await once(running, 'close');
  return said.replaceAll('\r\n', '\n');
}
