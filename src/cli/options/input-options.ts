import { Option } from '@commander-js/extra-typings';
import { UsageError } from '../errors.js';
import { defineProjectCommand, numberFrom, repeated } from './define-command.js';

/**
 * Defines a command with the options that say where primitives come from. The command of a server follows `--`.
 *
 * @param given the name of the command, what it does, and what follows its options
 */
export const defineInputCommand = (...given: Parameters<typeof defineProjectCommand>) =>
  defineProjectCommand(...given)
    .optionsGroup('Input, one of -- COMMAND ARGS (a server over stdio), --url, --catalog:')
    .option('--url <url>', 'an MCP server over Streamable HTTP')
    .option('--header <header>', "with --url: 'NAME: VALUE'; repeatable", repeated)
    .option('--catalog <file>', 'a catalog file, written by "mcp-concerns snapshot"')
    .addOption(timeoutOption())
    .optionsGroup('Options:');

/** One day. Timers of Node overflow after 24 days. */
const MAX_SECONDS = 86_400;

/** @returns the option that limits how long a server is waited for */
export const timeoutOption = () =>
  new Option('--timeout <seconds>', 'how long a server may take to list everything')
    .default(30)
    .argParser(numberFrom(0.001, MAX_SECONDS, 'fraction'));

/**
 * @param use what the server is for the command
 * @returns the option that names a module of a server
 */
export const moduleOption = (use: string) =>
  new Option(
    '--server <module>',
    `${use}: a module whose default export, or createServer, returns a new SDK v1 server`,
  );

/** The values of the options of `defineInputCommand`. */
export interface InputValues {
  readonly catalog?: string | undefined;
  readonly url?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly timeout?: number | undefined;
}

/** Where primitives come from. */
export type Input =
  | { readonly from: 'catalog'; readonly path: string }
  | { readonly from: 'url'; readonly url: URL; readonly headers: Headers; readonly seconds: number }
  | {
      readonly from: 'command';
      readonly program: string;
      readonly args: readonly string[];
      readonly seconds: number;
    };

/**
 * Parses the input of a command line. Nothing is read or started yet.
 *
 * @param values the values of the options of `defineInputCommand`
 * @param command the arguments after `--`
 * @param name the name of our command, for messages
 * @returns the input; undefined if there is none, for commands that work without one
 * @throws {UsageError} if there is more than one input, or one that is not valid
 * @example
 * parseInput({ catalog: 'vault.catalog.json' }, []); // { from: 'catalog', path: 'vault.catalog.json' }
 */
export function parseInput(values: InputValues, command: readonly string[], name = ''): Input | undefined {
  const { catalog, url, header, timeout: seconds = 30 } = values;
  const given = [
    ...(catalog === undefined ? [] : ['--catalog']),
    ...(url === undefined ? [] : ['--url']),
    ...(command.length === 0 ? [] : ['a command after --']),
  ];
  if (given.length > 1) {
    throw new UsageError(name, `There are ${given.length} inputs: ${given.join(' and ')}. Pass one`);
  }
  if (header !== undefined && url === undefined) throw new UsageError(name, '--header needs --url');
  if (catalog !== undefined) return { from: 'catalog', path: catalog };
  if (url !== undefined) {
    return { from: 'url', url: parseUrl(name, url), headers: parseHeaders(name, header ?? []), seconds };
  }
  const [program, ...args] = command;
  return program ? { from: 'command', program, args, seconds } : undefined;
}

/**
 * Does the same for a command that needs an input.
 *
 * @throws {UsageError} if there is no input, too
 */
export function requireInput(values: InputValues, command: readonly string[], name: string): Input {
  const input = parseInput(values, command, name);
  if (input !== undefined) return input;
  const hint = 'Pass its command after --, for example -- node server.js, or pass --url or --catalog';
  throw new UsageError(name, `There is no server. ${hint}`);
}

/**
 * @param name the name of our command, for messages
 * @param text the value of `--url`
 * @returns the URL
 * @throws {UsageError} if the value is not an HTTP URL, or contains a user name or a password
 * @example
 * parseUrl('list', 'https://example.com/mcp').host; // 'example.com'
 */
export function parseUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(name, `--url takes a URL that begins with http:// or https://, not "${text}"`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(name, '--url cannot contain a user name or a password. Send them with --header');
  }
  return url;
}

/**
 * @param name the name of our command, for messages
 * @param given the values of `--header`, each `Name: value`
 * @returns the headers
 * @throws {UsageError} if a value is not a valid header
 * @example
 * parseHeaders('list', ['Authorization: Bearer abc']).get('authorization'); // 'Bearer abc'
 */
export function parseHeaders(name: string, given: readonly string[]): Headers {
  const headers = new Headers();
  for (const text of given) {
    const [, key = '', value = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
    try {
      headers.append(key.trim(), value.trim());
    } catch {
      // The message does not repeat the value, which may be a secret.
      throw new UsageError(name, "--header takes 'Name: value', with a valid HTTP header name and value");
    }
  }
  return headers;
}
