import { existsSync, readFileSync } from 'node:fs';
import { membersOf } from '../../core/engine/expression/evaluate.js';
import { groupBy } from '../../core/once.js';
import { read } from '../../core/wire/messages.js';
import { readDocument } from '../inputs/host-document.js';
import { filesOf, HOSTS, type Host, type Place } from './hosts.js';

/** One server in a host's file. Only `command` and `args` are ever changed: all other keys stay the host's. */
export interface HostServer {
  readonly host: Host;
  readonly file: string;
  /** Whether the file belongs to a project. */
  readonly isShared: boolean;
  /** Where the entry is in the file. */
  readonly path: readonly string[];
  readonly key: string;
  readonly entry: object;
  /** The program and its arguments; empty if there is none. */
  readonly command: readonly string[];
  /** The folder that the server runs in, if the file says so: that of its project, for example. */
  readonly folder?: string;
  /** Why it stays as it is. */
  readonly stays?: string;
}

/**
 * Finds the servers of the hosts of this user, and of the project.
 *
 * @param place where the files are
 * @param only the ids of the hosts to look at; all without it
 * @returns the servers, and for a file that cannot be read an entry without a key that says why
 * @example
 * findServers({ platform: 'linux', env, home: '/home/me', folder: '/home/me/app' }, ['opencode']);
 */
export function findServers(place: Place, only: readonly string[] | undefined): HostServer[] {
  return HOSTS.filter(({ id }) => only === undefined || only.includes(id)).flatMap((host) =>
    filesOf(host, place)
      .filter(({ file }) => existsSync(file))
      .flatMap(({ file, isShared }) => serversIn(host, file, isShared)),
  );
}

function serversIn(host: Host, file: string, isShared: boolean): HostServer[] {
  const about = { host, file, isShared };
  let document: unknown;
  try {
    document = readDocument(file, readFileSync(file, 'utf8'));
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    const stays = reason || 'it cannot be read';
    return [{ ...about, path: [], key: '', entry: {}, command: [], stays }];
  }
  return host.members
    .flatMap((member) => holders(document, member))
    .flatMap(({ path, value }) =>
      Object.entries(membersOf(value)).map(([key, entry]) => serverOf(about, [...path, key], key, entry)),
    );
}

function holders(value: unknown, [first, ...rest]: readonly string[]): { path: string[]; value: unknown }[] {
  if (first === undefined) return [{ path: [], value }];
  const keys = first === '*' ? Object.keys(membersOf(value)) : [first];
  return keys.flatMap((key) =>
    holders(read(value, key), rest).map((found) => ({ ...found, path: [key, ...found.path] })),
  );
}

function serverOf(
  about: Pick<HostServer, 'host' | 'file' | 'isShared'>,
  path: readonly string[],
  key: string,
  entry: unknown,
): HostServer {
  const command = [read(entry, 'command')].flat();
  const args = [read(entry, 'args')].flat().filter((each) => each !== undefined);
  const all = [...command, ...args];
  const isText = command.length > 0 && all.every((each) => ['string', 'number'].includes(typeof each));
  const cwd = read(entry, 'cwd');
  // A server under `projects` runs in the folder of its project.
  const folder = typeof cwd === 'string' ? cwd : path[0] === 'projects' ? path[1] : undefined;
  const isMissing = path[0] === 'projects' && folder !== undefined && !existsSync(folder);
  const stays =
    reasonToStay(entry, isText) ?? (isMissing ? 'the folder of its project does not exist' : undefined);
  return {
    ...about,
    path,
    key,
    entry: membersOf(entry),
    command: isText ? all.map(String) : [],
    ...(folder === undefined ? {} : { folder }),
    ...(stays === undefined ? {} : { stays }),
  };
}

function reasonToStay(entry: unknown, hasCommand: boolean): string | undefined {
  if (read(entry, 'disabled') === true || read(entry, 'enabled') === false) return 'it is turned off';
  const url = ['url', 'httpUrl', 'serverUrl'].find((each) => typeof read(entry, each) === 'string');
  if (url !== undefined) return 'it is remote: its host has the connection and the login';
  return hasCommand ? undefined : 'it has no command';
}

/** How a command of ours is put together: `node main.js serve --stdio ... -- command`. */
export interface OwnCommand {
  /** Node.js, and the path of this program. */
  readonly program: readonly string[];
  /** `serve` and its options. */
  readonly options: readonly string[];
  /** The policy that it serves. */
  readonly policy: string;
  /** What it starts. */
  readonly server: readonly string[];
}

/** @returns the parts of a command that is behind mcp-concerns already; `undefined` for any other command */
export function ownCommandOf(command: readonly string[]): OwnCommand | undefined {
  const at = command.indexOf('serve');
  const end = command.indexOf('--');
  const isOurs =
    at > 0 &&
    /mcp-concerns|[\\/]cli[\\/]main\.js$/.test(command[at - 1] ?? '') &&
    command.includes('--stdio');
  if (!isOurs) return undefined;
  const options = command.slice(at, end === -1 ? undefined : end);
  return {
    program: command.slice(0, at),
    options,
    policy: options[options.indexOf('--policy') + 1] ?? '',
    server: end === -1 ? [] : command.slice(end + 1),
  };
}

/** @returns the servers that one list of a host has together: those of a file, or of one project in it */
export function groupByList(servers: readonly HostServer[]): readonly (readonly HostServer[])[] {
  const listOf = ({ file, path }: HostServer) =>
    JSON.stringify([file, path[0] === 'projects' ? path[1] : undefined]);
  return [...groupBy(servers, listOf).values()];
}
