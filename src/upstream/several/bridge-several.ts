import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallAnswer } from '../../wire/calls.js';
import { CAPABILITIES, type Era, METHODS } from '../../wire/messages.js';
import type { UpstreamServer } from '../bridged-server.js';
import { wrapParams } from '../eras/envelope.js';
import { NOBODY } from '../eras/era.js';
import { type Bridge, bridge, type IsolatedUpstream } from '../isolation.js';
import type { Isolation, UpstreamOptions } from '../upstream.js';
import { Member } from './member.js';
import { Part } from './part.js';
import { SeveralServers } from './several-servers.js';

/**
 * Joins several servers behind an endpoint into one.
 *
 * @param openers makes a transport to each server, not started, by its name within names
 * @param isolation who shares a server
 * @param options how each server is used. Events name it.
 * @param front puts something in front of the connections to each, by its name
 * @returns what one server has, too
 * @example
 * const both = bridgeSeveral(new Map([['files', openFiles], ['docs', openDocs]]), 'shared');
 */
export function bridgeSeveral(
  openers: ReadonlyMap<string, () => Transport>,
  isolation: Isolation | ((slug: string) => Isolation),
  options: UpstreamOptions | ((slug: string) => UpstreamOptions) = {},
  front: (made: Bridge, slug: string) => Bridge = (made) => made,
): Bridge {
  const ending = new AbortController();
  const open = new Set<SeveralServers>();
  const changed = (): void => {
    for (const capability of CAPABILITIES) for (const joined of open) joined.changed(capability);
  };
  const servers = [...openers].map(([slug, openOne]) => {
    const again = (): Promise<readonly CallAnswer[]> => {
      const asked = [...open].map((joined) => joined.again(slug));
      return Promise.all(asked.length > 0 ? asked : [askOnce(member, own)]);
    };
    const member = new Member(slug, again, changed, ending.signal);
    const given = typeof options === 'function' ? options(slug) : options;
    const report: UpstreamOptions['report'] = (event) => {
      member.happened(event);
      given.report?.(event);
    };
    const shared = typeof isolation === 'function' ? isolation(slug) : isolation;
    const own = front(bridge(openOne, shared, { ...given, name: slug, report }), slug);
    return { bridge: own, member };
  });
  const join = (
    era: Era,
    make: (bridge: Bridge) => UpstreamServer | Promise<UpstreamServer>,
    lasts = true,
  ): SeveralServers => {
    const parts = servers.map(({ member, bridge }) => ({ member, server: Promise.resolve(make(bridge)) }));
    const joined: SeveralServers = new SeveralServers(era, parts, () => open.delete(joined));
    if (lasts) open.add(joined);
    return joined;
  };
  return {
    era: async () => undefined,
    server: (request, given) => join('legacy', (bridge) => bridge.server(request, given), false),
    make: async (context) => join(context.era, (bridge) => bridge.make(context), context.era === 'modern'),
    connection: () => join('legacy', (bridge) => bridge.connection()),
    async close() {
      ending.abort();
      await Promise.all(servers.map(({ bridge }) => bridge.close()));
    },
  };
}

/** One of several servers, and how it is used. */
export interface OneOfSeveral {
  /** Makes a transport to a server of its own, not started. */
  readonly open: () => Transport;
  readonly isolation: Isolation;
  readonly options?: UpstreamOptions;
}

/**
 * Joins several servers into one, as `isolateUpstream` uses one. Each name begins with that of its server.
 *
 * @param servers the servers by their names: letters and digits, with single hyphens between
 * @example
 * const upstream = isolateSeveral({ files: { open: openFiles, isolation: 'shared' }, docs: { open: openDocs, isolation: 'shared' } });
 */
export function isolateSeveral(servers: Readonly<Record<string, OneOfSeveral>>): IsolatedUpstream {
  const each = new Map(Object.entries(servers));
  const openers = new Map([...each].map(([slug, { open }]) => [slug, open]));
  return bridgeSeveral(
    openers,
    (slug) => each.get(slug)?.isolation ?? 'per-session',
    (slug) => each.get(slug)?.options ?? {},
  );
}

/** Asks a server what it says of itself, on a connection for this alone. */
async function askOnce(member: Member, bridge: Bridge): Promise<CallAnswer> {
  const part = new Part(member, bridge.make({ era: 'modern' }), () => undefined);
  part.connect(undefined);
  const answer = await part.ask(METHODS.discover, wrapParams(undefined, NOBODY), 'again', undefined);
  await part.close();
  return answer;
}
