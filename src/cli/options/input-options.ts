import type { Protocol } from '../../proxy/options.js';
import { UsageError } from '../errors.js';
import type { CommandLine } from './command-line.js';
import type { Options } from './generated/commands.js';

/** The values of the options of commands that read primitives, and the keys of the servers that `serve` leaves out. */
export type InputValues = Partial<Options['input']> & {
  readonly forward?: readonly 'authorization'[] | undefined;
  readonly leave?: readonly string[] | undefined;
};

type InputLine = Pick<CommandLine<unknown[], InputValues>, 'values' | 'command'>;

/** A server, and how it is asked. Nothing is loaded or started yet. */
export type ServerInput = { readonly seconds: number; readonly protocol?: Protocol | undefined } & (
  | {
      readonly from: 'url';
      readonly url: URL;
      readonly headers: Headers;
      readonly login: boolean;
      readonly forward: readonly 'authorization'[];
    }
  | { readonly from: 'module'; readonly path: string }
  | { readonly from: 'servers'; readonly path: string; readonly left: readonly string[] }
  | { readonly from: 'command'; readonly program: string; readonly args: readonly string[] }
);

/** Where primitives come from. */
export type Input = { readonly from: 'catalog'; readonly path: string } | ServerInput;

/**
 * Parses the input of a command line. Nothing is read or started yet.
 *
 * @param line the command line
 * @returns the input; undefined if there is none, for commands that work without one
 * @throws {UsageError} if there is more than one input, or one that is not valid
 * @example
 * parseInput({ values: { catalog: 'vault.catalog.json' }, command: [] }); // { from: 'catalog', path: 'vault.catalog.json' }
 */
export function parseInput(line: InputLine): Input | undefined {
  const server = parseServer(line);
  const { catalog } = line.values;
  return catalog === undefined ? server : { from: 'catalog', path: catalog };
}

function parseServer({ values, command }: InputLine): ServerInput | undefined {
  const {
    catalog,
    url,
    server,
    servers,
    leave,
    header,
    timeout: seconds = 30,
    protocol,
    login = false,
    forward = [],
  } = values;
  const [program, ...args] = command;
  const all = {
    '--catalog': catalog,
    '--url': url,
    '--server': server,
    '--servers': servers,
    'a command after --': program,
  };
  const given = Object.entries(all).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  if (given.length > 1) {
    throw new UsageError(`There are ${given.length} inputs: ${given.join(' and ')}. Pass one`);
  }
  if (header !== undefined && url === undefined) throw new UsageError('--header needs --url');
  if (login && url === undefined)
    throw new UsageError('--login needs --url. In a file of servers, write "login": true');
  if (forward.length > 0 && url === undefined)
    throw new UsageError('--forward needs --url. In a file of servers, write "forward": ["authorization"]');
  if (forward.length > 0 && login) throw new UsageError('Pass --login or --forward, not both');
  const how = { seconds, protocol };
  if (url !== undefined)
    return { from: 'url', url: parseUrl(url), headers: parseHeaders(header ?? []), login, forward, ...how };
  if (server !== undefined) return { from: 'module', path: server, ...how };
  if (servers !== undefined) return { from: 'servers', path: servers, left: leave ?? [], ...how };
  return program ? { from: 'command', program, args, ...how } : undefined;
}

/**
 * Does the same for a command that needs an input.
 *
 * @throws {UsageError} if there is no input, too
 */
export const requireInput = (line: InputLine): Input => parseInput(line) ?? missing(' or --catalog');

/**
 * Does the same for a command that needs a server, and takes no catalog.
 *
 * @throws {UsageError} if there is no server, too
 */
export const requireServer = (line: InputLine): ServerInput => parseServer(line) ?? missing('');

function missing(other: string): never {
  const hint = `Pass its command after --, for example -- node server.js, or pass --url, --server, --servers${other}`;
  throw new UsageError(`There is no server. ${hint}`);
}

/**
 * @param text the value of `--url`
 * @returns the URL
 * @throws {UsageError} if the value is not an HTTP URL, or contains a user name or a password
 * @example
 * parseUrl('https://example.com/mcp').host; // 'example.com'
 */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(`--url takes a URL that begins with http:// or https://, not "${text}"`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--url cannot contain a user name or a password. Send them with --header');
  }
  return url;
}

/**
 * @param given the values of `--header`, each `Name: value`
 * @returns the headers
 * @throws {UsageError} if a value is not a valid header
 * @example
 * parseHeaders(['Authorization: Bearer abc']).get('authorization'); // 'Bearer abc'
 */
function parseHeaders(given: readonly string[]): Headers {
  const headers = new Headers();
  for (const text of given) {
    const [, key = '', value = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
    try {
      headers.append(key.trim(), value.trim());
    } catch {
      // The message does not repeat the value, which may be a secret.
      throw new UsageError("--header takes 'Name: value', with a valid HTTP header name and value");
    }
  }
  return headers;
}
