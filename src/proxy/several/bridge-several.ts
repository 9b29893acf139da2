import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import type { Backends } from '../backend.js';
import { unaskable } from '../call.js';
import { discovery } from '../eras/era.js';
import { type Bridge, behindOne, bridgeTo, type IsolatedUpstream } from '../isolation.js';
import type { Isolation, UpstreamOptions } from '../options.js';
import { leftOutReporter } from './left-out.js';
import { Member, PATIENCE_MS } from './member.js';
import { SeveralServers } from './several-servers.js';

/**
 * Joins several servers behind an endpoint into one.
 *
 * @param openers makes a transport to each server, not started, by its name within names
 * @param isolation who shares a server
 * @param options how each server is used. Events name it.
 * @param front puts something in front of the connections to each, by its name
 * @param patienceMs milliseconds that servers wait for one that is slow to start, or to list
 * @returns what one server has, too
 * @example
 * const both = bridgeSeveral(new Map([['files', openFiles], ['docs', openDocs]]), 'shared');
 */
export function bridgeSeveral(
  openers: ReadonlyMap<string, () => Transport>,
  isolation: Isolation | ((slug: string) => Isolation),
  options: UpstreamOptions | ((slug: string) => UpstreamOptions) = {},
  front: (made: Backends, slug: string) => Backends = (made) => made,
  patienceMs: number = PATIENCE_MS,
): Bridge {
  const ending = new AbortController();
  const open = new Set<SeveralServers>();
  const servers = [...openers].map(([slug, openOne]) => {
    const changed = (isAnother: boolean): void => {
      for (const joined of open) joined.changed(slug, isAnother);
    };
    const shared = new Member(slug, () => askOnce(backends), changed, ending.signal, patienceMs);
    const given = typeof options === 'function' ? options(slug) : options;
    const report: UpstreamOptions['report'] = (event) => {
      shared.happened(event);
      given.report?.(event);
    };
    const who = typeof isolation === 'function' ? isolation(slug) : isolation;
    const backends = front(behindOne(openOne, who, { ...given, name: slug, report }), slug);
    const isForwarding = (given.forward ?? []).length > 0;
    return {
      slug,
      shared,
      isShared: who !== 'per-session',
      isForwarding,
      backends,
      report: given.report,
      sayLeftOut: leftOutReporter(slug, given.report),
    };
  });
  return bridgeTo({
    era: async () => undefined,
    decided: Promise.resolve(undefined),
    isUp: async (signal) =>
      (await Promise.all(servers.map(({ backends }) => backends.isUp(signal)))).every((isUp) => isUp),
    behind(client, port) {
      const joined: SeveralServers = new SeveralServers(servers, client, port, () => open.delete(joined));
      if (client.era === 'modern' || (client.lasts && servers.some(({ isShared }) => isShared)))
        open.add(joined);
      return joined;
    },
    async close() {
      ending.abort();
      await Promise.all(servers.map(({ backends }) => backends.close()));
    },
  });
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
async function askOnce(backends: Backends): Promise<CallAnswer> {
  const nobody = { era: 'modern', lasts: false, principal: undefined, session: undefined } as const;
  const backend = backends.behind(nobody, { tell: () => undefined, ask: unaskable });
  const answer = await backend.answer(discovery());
  await backend.leave();
  return answer;
}
