import { identityOf } from '../../core/engine/mapping.js';
import { read } from '../../core/wire/messages.js';
import { ChildTransport } from '../../proxy/wires/child-process.js';
import type { CatalogFile } from '../inputs/catalog-file.js';
import { fetchCatalog } from '../inputs/listing/fetch-catalog.js';
import { WholeListTransport } from '../inputs/listing/whole-list-transport.js';
import { filledText, filledTexts } from '../inputs/several/servers-file.js';
import { plain } from '../terminal/output.js';
import type { HostServer } from './host-files.js';

/** How servers are listed. */
export interface Listing {
  readonly env: NodeJS.ProcessEnv;
  /** How long a server may take. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** So many servers start at the same time. */
const AT_ONCE = 6;

/**
 * Starts a server as its host does, lists everything, and ends it.
 *
 * @param server the server in a host's file
 * @param listing how servers are listed
 * @param through the command in place of its own: the one that setup would write
 * @returns what it lists
 * @throws if a variable of the entry has no value here, or the server does not start, hangs, ends or lists no tools
 */
export async function listServer(
  server: HostServer,
  { env, seconds, signal }: Listing,
  through?: readonly string[],
): Promise<CatalogFile> {
  const { entry, folder, command, key } = server;
  const [program = '', ...args] = (through ?? command).map((each) => filledText(each, env));
  const own = filledTexts(read(entry, 'env') ?? read(entry, 'environment'), env);
  const cwd = folder === undefined ? undefined : filledText(folder, env);
  // What a host gets through us is filtered, which the whole list would not show.
  const Child = through === undefined ? WholeListTransport : ChildTransport;
  const open = () => new Child(program, args, { ...env, ...own }, cwd);
  const subject = `The server "${plain(key)}"`;
  const missing = (): void => undefined;
  const catalog = await fetchCatalog(
    { name: key, subject, open },
    { from: 'command', seconds, signal, missing },
  );
  if ((catalog.tools ?? []).length === 0) throw new Error('it lists no tools');
  return catalog;
}

/** @returns the names of the tools of a catalog */
export const toolNames = ({ tools = [] }: CatalogFile): string[] =>
  tools.map((tool) => identityOf('tools', tool));

/**
 * Lists servers, a command only once, also if several hosts have it, and a few at the same time.
 *
 * @param listing how servers are listed
 * @returns lists a server
 */
export function listOnce(listing: Listing): (server: HostServer) => Promise<CatalogFile> {
  const known = new Map<string, Promise<CatalogFile>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const listOne = async (server: HostServer): Promise<CatalogFile> => {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await listServer(server, listing);
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
  return (server) => {
    const { env, environment }: { env?: unknown; environment?: unknown } = server.entry;
    const key = JSON.stringify([server.command, server.folder, env ?? environment]);
    const listed = known.get(key) ?? listOne(server);
    known.set(key, listed);
    return listed;
  };
}
