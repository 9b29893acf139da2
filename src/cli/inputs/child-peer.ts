import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { jsonOrText } from '../../engine/claims.js';
import { UnreadableLine } from '../../upstream/wires/child-process.js';
import { read } from '../../wire/messages.js';
import { plain } from '../terminal/output.js';
import { type Failure, type Peer, shorten } from './peer.js';
import { WholeListTransport } from './whole-list-transport.js';

/** Some servers print a banner to stdout by mistake, and hosts ignore it. A server that prints more lines is broken. */
const MAX_UNREADABLE = 100;

/**
 * Makes a peer of a server that runs as a child process. It is stopped with its child processes when its transport is closed.
 *
 * @param command the command of the server
 * @param args its arguments
 * @returns the server, not started yet
 * @example
 * const { tools = [] } = await fetchCatalog(childPeer('node', ['server.js']), { seconds: 30, signal });
 */
export function childPeer(command: string, args: readonly string[]): Peer {
  const transport = new WholeListTransport(command, args);
  const server = `The server "${plain(command)}"`;
  const broken = new AbortController();
  let [unreadable, lines]: [line: string | undefined, lines: number] = [undefined, 0];
  transport.onerror = (error) => {
    if (!(error instanceof UnreadableLine)) return;
    const { line, endless } = error;
    unreadable ??= line;
    lines++;
    // A malformed answer will not be sent again. Any other line may be a banner or a log.
    const malformed = endless || resemblesJsonRpc(line);
    if (!malformed && lines < MAX_UNREADABLE) return;
    if (malformed) unreadable = line;
    broken.abort();
  };
  const describe = async ({ cause, lastMethod, over }: Failure): Promise<string | undefined> => {
    if (transport.pid === undefined) return `${plain(command)} cannot be started: ${startFailure(cause)}.`;
    const printed = shorten(unreadable ?? '');
    if (broken.signal.aborted) {
      return `${server} printed a line to stdout that is not a JSON-RPC message: ${printed}`;
    }
    if (over !== undefined) {
      const wrote = unreadable === undefined ? '' : `, but printed "${printed}"`;
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
  };
  const again = () => new WholeListTransport(command, args);
  return { server, transport, again, broken: broken.signal, describe };
}

/** Tells a malformed JSON-RPC message from a log line in JSON. */
function resemblesJsonRpc(line: string): boolean {
  const data = jsonOrText(line);
  const has = (name: string) => read(data, name) !== undefined;
  return has('jsonrpc') || (has('id') && (has('result') || has('error')));
}

function startFailure(cause: unknown): string {
  const code = read(cause, 'code');
  if (code === 'ENOENT') return 'there is no such command. Check the command after --';
  if (code === 'EACCES') return 'it is not executable. Check the command after --';
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
