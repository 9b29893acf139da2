import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import { UsageError } from '../errors.js';
import { interruptible } from '../terminal/interrupt.js';
import { withProgress } from '../terminal/progress.js';
import { type CatalogFile, readCatalogFile } from '../inputs/catalog-file.js';

/** Where primitives come from, as options of `parseArgs`; a server's command stands after `--`. */
export const SOURCE_OPTIONS = {
  catalog: { type: 'string' },
  url: { type: 'string' },
  header: { type: 'string', multiple: true },
  timeout: { type: 'string' },
} as const;

/** What the help of a command says of them. */
export const SOURCE_HELP = `Source, one of:
  --catalog FILE        a catalog, as "mcp-concerns snapshot" writes it
  --url URL             a server over Streamable HTTP, with
                        --header 'NAME: VALUE' (may be repeated)
  -- COMMAND [ARGS...]  a server over stdio
  --timeout SECONDS     how long a server may take to list everything (30)`;

/** What was given for `SOURCE_OPTIONS`. */
export interface SourceValues {
  readonly catalog?: string | undefined;
  readonly url?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly timeout?: string | undefined;
  /** No progress on stderr. */
  readonly quiet?: boolean | undefined;
}

/**
 * Splits a server's command off the arguments of one of ours.
 *
 * @param argv the arguments
 * @returns our own, and what stands after `--`
 * @example
 * const [own, command] = splitCommand(['--policy', 'p.yaml', '--', 'node', 'server.js']);
 */
export function splitCommand(argv: readonly string[]): [own: string[], command: string[]] {
  const end = argv.indexOf('--');
  return end === -1 ? [[...argv], []] : [argv.slice(0, end), argv.slice(end + 1)];
}

/** @returns whether a source was given, for commands that can do without */
export function hasSource(values: SourceValues, command: readonly string[]): boolean {
  return values.catalog !== undefined || values.url !== undefined || command.length > 0;
}

type Source =
  | { readonly from: 'catalog'; readonly path: string }
  | { readonly from: 'url'; readonly url: URL; readonly headers: Headers; readonly seconds: number }
  | {
      readonly from: 'command';
      readonly program: string;
      readonly args: readonly string[];
      readonly seconds: number;
    };

/**
 * Checks that a command line names one source, before anything else is read for it.
 *
 * @param values what was given for `SOURCE_OPTIONS`
 * @param command what stands after `--`
 * @param name the command of ours, for messages
 * @returns the source
 * @throws {UsageError} for none, several, or one that cannot be understood
 */
export function checkSource(values: SourceValues, command: readonly string[], name = ''): Source {
  const seconds = readSeconds(name, values.timeout);
  const { catalog, url, header } = values;
  const given = [
    ...(catalog === undefined ? [] : ['--catalog']),
    ...(url === undefined ? [] : ['--url']),
    ...(command.length === 0 ? [] : ["a server's command"]),
  ];
  if (given.length > 1) {
    throw new UsageError(name, `There are ${given.length} sources, ${given.join(' and ')}; give one`);
  }
  if (header !== undefined && url === undefined) throw new UsageError(name, '--header needs --url');
  if (catalog !== undefined) return { from: 'catalog', path: catalog };
  if (url !== undefined) {
    return { from: 'url', url: parseUrl(name, url), headers: parseHeaders(name, header ?? []), seconds };
  }
  const [program, ...args] = command;
  if (program) return { from: 'command', program, args, seconds };
  const hint = 'its command goes after --, as in -- node server.js; or give --catalog or --url';
  throw new UsageError(name, `There is no server: ${hint}`);
}

/**
 * Reads the one source of primitives that a command line names: a catalog file, a server over HTTP, or a server's
 * command. Takes signals meanwhile, and shows on a terminal what it waits for.
 *
 * @param values what was given for `SOURCE_OPTIONS`
 * @param command what stands after `--`
 * @param name the command of ours, for messages
 * @returns the primitives, with everything that the source says of them
 * @throws {CliError} for no source or several, and if the source cannot be read
 * @throws {Interrupted} if a signal ended it
 * @example
 * const { tools = [] } = await readSource({ catalog: 'policies/vault.catalog.json' }, [], 'check');
 */
export async function readSource(
  values: SourceValues,
  command: readonly string[],
  name = '',
): Promise<PolicyCatalog & CatalogFile> {
  const source = checkSource(values, command, name);
  if (source.from === 'catalog') return readCatalogFile(source.path);
  const { seconds } = source;
  // Only who speaks to a server loads the SDK.
  if (source.from === 'url') {
    const { url, headers } = source;
    const { takeFromUrl } = await import('../inputs/url-input.js');
    return withProgress(`Asking ${url.host}`, values.quiet, () =>
      interruptible((signal) => takeFromUrl(url, headers, { seconds, signal })),
    );
  }
  const { program, args } = source;
  const { takeFromCommand } = await import('../inputs/command-input.js');
  return withProgress(`Asking ${program}`, values.quiet, () =>
    interruptible((signal) => takeFromCommand(program, args, { seconds, signal })),
  );
}

/**
 * @param name the command of ours, for messages
 * @param text what was given for `--url`
 * @returns the address
 * @throws {UsageError} if it is none, or holds a password
 */
export function parseUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(name, `--url takes an address with http or https, not "${text}"`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(name, '--url takes no name and password; send them with --header');
  }
  return url;
}

/**
 * @param name the command of ours, for messages
 * @param given what was given for `--header`, each `Name: value`
 * @returns the headers
 * @throws {UsageError} if one of them is none
 */
export function parseHeaders(name: string, given: readonly string[]): Headers {
  const headers = new Headers();
  for (const text of given) {
    const [, key = '', value = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
    try {
      headers.append(key.trim(), value.trim());
    } catch {
      // The value may be a secret: it is not repeated.
      throw new UsageError(name, "--header takes 'Name: value', as HTTP allows it");
    }
  }
  return headers;
}

/** A day is more than any server takes; timers of Node overflow after 24 of them. */
const MAX_SECONDS = 86_400;

function readSeconds(name: string, text = '30'): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(name, `--timeout takes a number of seconds up to ${MAX_SECONDS}, not "${text}"`);
}
