import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { membersOf } from '../../../core/engine/expression/evaluate.js';
import { slugOf } from '../../../core/engine/servers/outside-names.js';
import { read } from '../../../core/wire/messages.js';
import { UpstreamError } from '../../../proxy/upstream-error.js';
import { ChildTransport } from '../../../proxy/wires/child-process.js';
import { CliError } from '../../errors.js';
import { readText } from '../../terminal/read-text.js';
import { readDocument } from '../host-document.js';
import type { Logins } from '../login/logins.js';

/** How to open each server of a host's file, by its name within names. */
export type SeveralOpeners = ReadonlyMap<string, () => Transport>;

/**
 * Reads the servers of a host's file, in the forms that hosts read themselves: `mcpServers` of most, `servers` of VS Code, `mcp`
 * of opencode, `context_servers` of Zed. A server with a mistake, such as a variable without a value, is one that does not start. The others are served.
 *
 * @param path the file
 * @param env the environment, for variables in the file
 * @param left the servers that the host keeps
 * @param Child what starts a server
 * @param logins sign the person in to servers with `"login": true`; without it, these do not start
 * @throws {CliError} if the file is not such a file, or two of its servers have one name
 * @example
 * const servers = await readServersFile('.mcp.json', process.env);
 */
export async function readServersFile(
  path: string,
  env: NodeJS.ProcessEnv,
  left: readonly string[] = [],
  Child: typeof ChildTransport = ChildTransport,
  logins?: Logins,
): Promise<SeveralOpeners> {
  const entries = entriesOf(path);
  const variables = { ...variablesOf(path), ...env };
  const openers = new Map<string, () => Transport>();
  const keys = new Map<string, string>();
  for (const [key, entry] of Object.entries(entries)) {
    if (isTurnedOff(entry) || left.includes(key)) continue;
    const slug = slugOf(key);
    const other = keys.get(slug);
    if (other !== undefined)
      throw new CliError(
        `${path}: the servers "${other}" and "${key}" are both called ${slug}. Rename one of them.`,
      );
    keys.set(slug, key);
    openers.set(slug, await openerOf(entry, variables, Child, logins));
  }
  if (openers.size > 0) return openers;
  throw new CliError(hasNone(path));
}

/**
 * @param path the file
 * @returns the servers that get the header `Authorization` of each host: `"forward": ["authorization"]`, by their names within names
 * @throws {CliError} if the file cannot be used
 */
export function forwardingServers(path: string): ReadonlySet<string> {
  const found = Object.entries(entriesOf(path)).filter(([, entry]) => {
    const forward = read(entry, 'forward');
    return Array.isArray(forward) && forward.some((each) => String(each).toLowerCase() === 'authorization');
  });
  return new Set(found.map(([key]) => slugOf(key)));
}

/** The members that have the servers in files of hosts; the first one that is there counts. */
const MEMBERS: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['mcp'],
  ['context_servers'],
];

const hasNone = (path: string): string => `${path} has no servers. Write them under mcpServers, as hosts do.`;

/**
 * @returns the servers of a host's file by their keys
 * @throws {CliError} if the file cannot be read, or has none
 */
function entriesOf(path: string): object {
  const text = readText(path, 'Pass the file in which a host has its servers, for example .mcp.json.');
  let document: unknown;
  try {
    document = readDocument(path, text);
  } catch (cause) {
    throw new CliError(`${path}: ${cause instanceof Error ? cause.message : ''}. Fix it there.`, { cause });
  }
  for (const member of MEMBERS) {
    const found = read(document, ...member);
    if (found !== undefined) return membersOf(found);
  }
  throw new CliError(hasNone(path));
}

const isTurnedOff = (entry: unknown): boolean =>
  read(entry, 'disabled') === true || read(entry, 'enabled') === false;

/** VS Code and Cursor fill in the folder above the one that has the file. Other hosts have no such variable. */
function variablesOf(path: string): NodeJS.ProcessEnv {
  const folder = dirname(resolve(path));
  return ['.vscode', '.cursor'].includes(basename(folder)) ? { workspaceFolder: dirname(folder) } : {};
}

/** What it returns throws if the entry cannot be used: as a server that does not start, this one alone is missing. */
async function openerOf(
  entry: unknown,
  env: NodeJS.ProcessEnv,
  Child: typeof ChildTransport,
  logins: Logins | undefined,
): Promise<() => Transport> {
  const fill = (value: unknown): string => filledText(String(value), env);
  const texts = (value: unknown) => filledTexts(value, env);
  // Gemini CLI and Windsurf have names of their own for a URL, and opencode for the environment; it writes a command as one list.
  const url = ['url', 'httpUrl', 'serverUrl']
    .map((name) => read(entry, name))
    .find((each) => typeof each === 'string');
  if (typeof url === 'string') {
    const { remoteTransport } = await import('../../../proxy/wires/remote.js');
    const demandsLogin = read(entry, 'login') === true;
    return () => {
      if (demandsLogin && logins === undefined) throw new UpstreamError(FOR_ONE);
      const reach = demandsLogin ? logins?.(new URL(fill(url))).fetch : undefined;
      return remoteTransport(fill(url), texts(read(entry, 'headers')), reach);
    };
  }
  return () => {
    const args = read(entry, 'args');
    const [program, ...given] = [read(entry, 'command'), args ?? []].flat();
    if (typeof program !== 'string') throw new UpstreamError('it has neither command nor url');
    // A host that starts servers without a shell would look for a program of that name, too.
    if (given.length === 0 && /\s/.test(program) && !existsSync(program))
      throw new UpstreamError(`"${program}" is not a program; write its arguments into "args"`);
    const cwd = read(entry, 'cwd');
    const folder = typeof cwd === 'string' ? fill(cwd) : undefined;
    const own = texts(read(entry, 'env') ?? read(entry, 'environment'));
    return new Child(fill(program), given.map(fill), { ...inherited(env), ...own }, folder);
  };
}

const FOR_ONE = 'its login is that of one person, and this endpoint is for many';

/** What hosts give a server besides its own `env`: those of its siblings and of this process may be secrets. */
const INHERITED =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'PROGRAMFILES',
      ]
    : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

const inherited = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      INHERITED.includes(name.toUpperCase()) && value !== undefined ? [[name, value]] : [],
    ),
  );

/** Returns texts with the values of variables. */
export const filledTexts = (texts: unknown, env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts ?? {}).map(([name, each]) => [name, filledText(String(each), env)]),
  );

/**
 * Returns a text with the values of variables: `${NAME}`, `${NAME:-default}` of Claude Code, and `${env:NAME}` of VS Code and
 * Cursor. Nothing else is guessed.
 *
 * @throws {UpstreamError} if a variable has no value
 */
export function filledText(text: string, env: NodeJS.ProcessEnv): string {
  return text.replace(/\$\{(?:env:)?([^}:]+)(?::-([^}]*))?\}|\$\{[^}]*\}/g, (variable, name, otherwise) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) throw new UpstreamError(`${variable} has no value in the environment`);
    return value;
  });
}
