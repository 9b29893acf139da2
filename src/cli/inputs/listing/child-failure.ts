import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { read } from '../../../core/wire/messages.js';
import { type Failure, shorten } from './failure.js';
import type { WholeListTransport } from './whole-list-transport.js';

/**
 * Describes a failure that only a server in a child process can have. The process is stopped.
 *
 * @param failure what happened
 * @param transport the transport to the process
 * @returns the message; `undefined` if the process tells nothing more
 */
export async function childFailure(
  { server, cause, lastMethod, over }: Failure,
  transport: WholeListTransport,
): Promise<string | undefined> {
  const { unreadable } = transport;
  if (transport.pid === undefined) return `${server} cannot be started: ${startFailure(cause)}.`;
  if (transport.isBroken.aborted)
    return `${server} printed a line to stdout that is not a JSON-RPC message: ${shorten(unreadable ?? '')}`;
  if (over !== undefined) {
    const wrote = unreadable === undefined ? '' : `, but printed "${shorten(unreadable)}"`;
    return [
      `${server} did not answer ${lastMethod} within ${over} s${wrote}. Check that it is an MCP server over stdio, or allow more time with --timeout.`,
      ...lastLines(transport.stderr, 0),
    ].join('\n');
  }
  // The last of its output may not have arrived yet.
  await transport.close();
  const { ended, stderr } = transport;
  if (ended === undefined || read(cause, 'code') !== ErrorCode.ConnectionClosed) return undefined;
  const how = ended.signal === null ? `ended with exit code ${ended.code}` : `was ended by ${ended.signal}`;
  const words = lastWords(stderr) ?? unreadable;
  const last = words === undefined ? ', and printed nothing to stderr.' : `: ${shorten(words)}`;
  return [`${server} ${how} before it answered ${lastMethod}${last}`, ...lastLines(stderr, 1)].join('\n');
}

function startFailure(cause: unknown): string {
  const code = read(cause, 'code');
  if (code === 'ENOENT') return 'there is no such command. Check its name and PATH';
  if (code === 'EACCES') return 'it is not executable. Check its permissions';
  return typeof code === 'string' ? code : String(cause);
}

/** What runtimes print around an error, and npm after it. */
const FRAME = /^(Node\.js v\d|npm error A complete log)/;

const linesOf = (stderr: string): string[] => stderr.split('\n').filter((line) => line.trim() !== '');

/** @returns the last error message on stderr; else the last line */
function lastWords(stderr: string): string | undefined {
  const words = linesOf(stderr)
    .map((line) => line.trim())
    .filter((line) => !FRAME.test(line));
  return words.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? words.at(-1);
}

const MAX_LINES = 10;

/**
 * @param stderr what the server wrote
 * @param quoted how many of its lines the message has already
 * @returns the end of stderr, and what to do about a cause that is known
 */
function lastLines(stderr: string, quoted: number): string[] {
  const lines = linesOf(stderr);
  const end = lines.slice(-MAX_LINES).map((line) => `  ${shorten(line)}`);
  const hint = /npx canceled due to missing packages/.test(stderr) ? [NPX_HINT] : [];
  return lines.length > quoted ? ['The last lines of its stderr:', ...end, ...hint] : hint;
}

const NPX_HINT =
  'npx asks before it installs a package, and nobody can answer here. Write "npx -y" instead of "npx".';
