import type { CallAnswer } from '../../wire/calls.js';
import { CAPABILITIES, type Era, METHODS } from '../../wire/messages.js';
import type { UpstreamServer } from '../bridged-server.js';
import { wrapParams } from '../eras/envelope.js';
import { NOBODY } from '../eras/era.js';
import type { Bridge } from '../isolation.js';
import { Member } from './member.js';
import { Part } from './part.js';
import { SeveralServers } from './several-servers.js';

/**
 * Joins several servers behind an endpoint into one.
 *
 * @param bridges the connections to each server, by its name within names
 * @returns what one server has, too
 * @example
 * const both = bridgeSeveral(new Map([['files', bridge(openFiles, 'shared')], ['docs', bridge(openDocs, 'shared')]]));
 */
export function bridgeSeveral(bridges: ReadonlyMap<string, Bridge>): Bridge {
  const ending = new AbortController();
  const open = new Set<SeveralServers>();
  const arrived = (): void => {
    for (const capability of CAPABILITIES) for (const joined of open) joined.changed(capability);
  };
  const servers = [...bridges].map(([slug, bridge]) => {
    const describe = (member: Member) => askOnce(member, bridge);
    return { bridge, member: new Member(slug, describe, arrived, ending.signal) };
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
      await Promise.all([...bridges.values()].map((bridge) => bridge.close()));
    },
  };
}

/** Asks a server what it says of itself, on a connection for this alone. */
async function askOnce(member: Member, bridge: Bridge): Promise<CallAnswer> {
  const part = new Part(member, bridge.make({ era: 'modern' }), () => undefined);
  part.connect(undefined);
  const answer = await part.ask(METHODS.discover, wrapParams(undefined, NOBODY), 'describe', undefined);
  await part.close();
  return answer;
}
