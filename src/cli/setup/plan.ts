import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { slugOf } from '../../core/engine/servers/outside-names.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import { sha256Of } from '../../core/sha256.js';
import { read } from '../../core/wire/messages.js';
import type { CatalogFile } from '../inputs/catalog-file.js';
import type { TokenCounter } from '../inputs/token-counter.js';
import { enoughCalls, usedTools } from '../serving/used-tools.js';
import { writeFiles } from '../terminal/write-files.js';
import type { PolicyChange } from '../terminal/write-policy.js';
import { withCommands } from './edit-file.js';
import { type HostServer, ownCommandOf } from './host-files.js';
import { shownByHost } from './host-filters.js';
import { type Listing, listServer, toolNames } from './list-server.js';
import { narrowPolicy, type Room, startOf } from './narrow-policy.js';
import type { OwnProgram } from './own-program.js';
import { startInPolicy, withStartInPolicy } from './start-of-policy.js';

/** What happens to one server, and what the person reads about it. */
export type Outcome =
  | { readonly kind: 'stays'; readonly reason: string }
  | { readonly kind: 'whole'; readonly before: Room }
  | {
      readonly kind: 'narrowed';
      readonly before: Room;
      readonly after: Room;
      /** How many tools of the start are there because they were called. */
      readonly used: number;
      readonly command: readonly string[];
      /** The files of its policy, by path; empty if the policy exists already. */
      readonly files: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'repaired'; readonly command: readonly string[] }
  | {
      readonly kind: 'start';
      /** The tools of the start, after and before. */
      readonly start: ReadonlySet<string>;
      readonly was: ReadonlySet<string>;
      /** The change of the policy. The tools of the start are what it opens, and the person is asked about them. */
      readonly change: PolicyChange;
    };

/** A server, and what happens to it. */
export interface PlannedServer {
  readonly server: HostServer;
  readonly outcome: Outcome;
}

/** What all servers of a plan share. */
export interface Planning extends Listing {
  /** The folder of the policies. */
  readonly folder: string;
  readonly program: OwnProgram;
  /** The program that proves a change now; another one than that which is written if that is not installed yet. */
  readonly prover: readonly string[];
  readonly tokensOf: TokenCounter;
  /** Why a server stays, for other reasons than those in its file. */
  reasonToStay(server: HostServer): string | undefined;
}

/** Together, the servers of a host stay whole up to this. */
const ENOUGH: Room = { tools: 40, tokens: 10_000 };
/** Days whose calls count. */
const RECENT_DAYS = 30;

/**
 * Plans what happens to the servers of one list of a host: from small to large, they stay whole while there is room. Each change
 * is proven, because the server is listed through it.
 *
 * @param servers the servers of one file, or of one project in it
 * @param planning what all servers share
 * @param list lists a server, each command once
 * @returns the servers in the order in which the person reads them
 */
export async function planServers(
  servers: readonly HostServer[],
  planning: Planning,
  list: (server: HostServer) => Promise<CatalogFile>,
): Promise<PlannedServer[]> {
  const measured = await Promise.all(servers.map((server) => measure(server, planning, list)));
  const planned: PlannedServer[] = measured.flatMap((each) => ('outcome' in each ? [each] : []));
  const listed = measured
    .flatMap((each) => ('catalog' in each ? [each] : []))
    .sort((a, b) => a.before.tokens - b.before.tokens);
  let room = ENOUGH;
  for (const { server, catalog, before } of listed) {
    const outcome: Outcome =
      before.tools <= room.tools && before.tokens <= room.tokens
        ? { kind: 'whole', before }
        : await narrow(server, catalog, before, room, planning);
    if (outcome.kind === 'whole' || outcome.kind === 'narrowed') {
      const taken = outcome.kind === 'whole' ? before : outcome.after;
      room = {
        tools: Math.max(0, room.tools - taken.tools),
        tokens: Math.max(0, room.tokens - taken.tokens),
      };
    }
    planned.push({ server, outcome });
  }
  return planned;
}

/** A server that was listed, with what its host shows of it today. */
interface MeasuredServer {
  readonly server: HostServer;
  readonly catalog: CatalogFile;
  readonly before: Room;
}

async function measure(
  server: HostServer,
  planning: Planning,
  list: (server: HostServer) => Promise<CatalogFile>,
): Promise<PlannedServer | MeasuredServer> {
  const reason = server.stays ?? planning.reasonToStay(server);
  if (reason !== undefined) return { server, outcome: stays(reason) };
  try {
    if (!canBeEdited(server))
      return { server, outcome: stays('its form cannot be edited without losing something') };
    const own = ownCommandOf(server.command);
    if (own !== undefined) return { server, outcome: await planAgain(server, planning, list) };
    const catalog = await list(server);
    return { server, catalog, before: sizeOf(shownByHost(server.entry, catalog), planning.tokensOf) };
  } catch (cause) {
    if (planning.signal.aborted) throw cause;
    return { server, outcome: stays(reasonOf(cause)) };
  }
}

/** Whether its command can be replaced in the file of the host, so that a plan promises nothing that fails later. */
function canBeEdited({ file, path, entry, command }: HostServer): boolean {
  const edit = { path, command: [...command, '--'], isList: Array.isArray(read(entry, 'command')) };
  return withCommands(file, readFileSync(file, 'utf8'), [edit]) !== undefined;
}

const sizeOf = ({ tools = [] }: CatalogFile, tokensOf: TokenCounter): Room => ({
  tools: tools.length,
  tokens: tools.reduce((sum, tool) => sum + tokensOf(tool), 0),
});

/** Writes the policy into a folder of its own and lists the server through it, before anything of the person changes. */
async function narrow(
  server: HostServer,
  catalog: CatalogFile,
  before: Room,
  room: Room,
  planning: Planning,
): Promise<Outcome> {
  const { env, folder, program, prover, tokensOf } = planning;
  const stem = `${slugOf(server.key)}-${sha256Of(server.command.join('\n')).slice(0, 6)}`;
  const file = `${stem}.yaml`;
  const used = recentTools(env, server.command);
  const shown = shownByHost(server.entry, catalog);
  const proof = mkdtempSync(join(tmpdir(), 'mcp-concerns-'));
  try {
    const existing = join(folder, file);
    const isKept = existsSync(existing);
    const start = isKept
      ? startInPolicy(readFileSync(existing, 'utf8'), existing)
      : startOf(shown, used, room.tokens, tokensOf);
    const texts = isKept ? new Map<string, string>() : narrowPolicy(file, server.key, catalog, start);
    writeFiles(new Map([...texts].map(([name, text]) => [join(proof, name), text])));
    const commandWith = (own: readonly string[], policy: string): readonly string[] => [
      ...own,
      'serve',
      '--stdio',
      '--no-project',
      '--policy',
      policy,
      '--concern',
      'preset=start',
      '--',
      ...server.command,
    ];
    const through = commandWith(prover, isKept ? existing : join(proof, file));
    const now = shownByHost(server.entry, await listServer(server, planning, through));
    const names = toolNames(now);
    if (!names.includes('concerns'))
      return stays('the filter of its host hides the tool "concerns", which finds all others');
    const unexpected = names.filter((name) => name !== 'concerns' && !start.has(name));
    if (unexpected.length > 0) return stays(`through mcp-concerns, it lists ${unexpected.join(', ')} too`);
    const after = sizeOf(now, tokensOf);
    if (after.tokens >= before.tokens) return stays('through mcp-concerns, its list is not smaller');
    return {
      kind: 'narrowed',
      before,
      after,
      used: used.filter((name) => start.has(name)).length,
      command: commandWith(program.command, existing),
      files: new Map([...texts].map(([name, text]) => [join(folder, name), text])),
    };
  } catch (cause) {
    if (planning.signal.aborted) throw cause;
    return stays(`through mcp-concerns, ${reasonOf(cause)}`);
  } finally {
    rmSync(proof, { recursive: true, force: true });
  }
}

const stays = (reason: string): Outcome => ({ kind: 'stays', reason });

/** A server that is narrowed already: its program can be gone, and its start can follow what was called since. */
async function planAgain(
  server: HostServer,
  { env, program, tokensOf }: Planning,
  list: (server: HostServer) => Promise<CatalogFile>,
): Promise<Outcome> {
  const own = ownCommandOf(server.command);
  if (own === undefined) return stays('it is not behind mcp-concerns');
  const [node = '', main = ''] = own.program;
  if ([node, main].some((path) => isAbsolute(path) && !existsSync(path)))
    return { kind: 'repaired', command: [...program.command, ...server.command.slice(own.program.length)] };
  if (!existsSync(own.policy)) return stays(`its policy ${own.policy} does not exist any more`);
  const used = recentTools(env, own.server);
  if (own.server.length === 0 || used.length === 0)
    return stays('it is behind mcp-concerns already; not enough calls yet for another start');
  const { policy: file, server: command } = own;
  const text = readFileSync(file, 'utf8');
  const catalog = await list({ ...server, command });
  const start = startOf(shownByHost(server.entry, catalog), used, ENOUGH.tokens, tokensOf);
  const was = startInPolicy(text, file);
  const edited = withStartInPolicy(text, file, start);
  if (edited === undefined) return stays(`${file} has tools in one line, so its start cannot be edited`);
  if (edited === text) return stays('it is behind mcp-concerns already');
  const change = {
    before: readPolicy([file]).texts,
    changed: new Map([[file, edited]]),
    catalog,
    open: [...start],
  };
  return { kind: 'start', start, was, change };
}

/** @returns the tools of the last days, the most used first; none below the calls that tell something */
function recentTools(env: NodeJS.ProcessEnv, command: readonly string[]): readonly string[] {
  const found = usedTools(env, command.join(' '), RECENT_DAYS);
  return enoughCalls(found) ? found.names : [];
}

/** @returns a reason as a part of a line: without the name of the server, which is in front */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : 'it does not start';
  return (
    message
      .split('\n')
      .join(' ')
      .replace(/^The server "[^"]*" /, 'it ')
      // Other commands have that option.
      .replace(', or allow more time with --timeout', '')
      .replace(/\.$/, '')
  );
}
