import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { registryFolder } from '../../src/cli/control/registry.js';
import { runningProcesses, switchSession } from '../../src/cli/control/running-process.js';
import { deferred } from '../../src/core/once.js';
import { converse, type Step } from './conversation.js';
import { SERVER, type Turn } from './host.js';
import { inPlace, type Place } from './place.js';
import { type Bench, logOf, type Outcome, runHost } from './run-host.js';
import { startModel } from './scripted-model.js';

const TURN: Turn = { prompt: 'Check the data.', continues: false };
/** A tool that every preset shows, and that changes nothing. */
const CALL = 'validateData';

/**
 * Two processes of the host, which give themselves the same name, at one endpoint, each with the URL that `serve` prints for it.
 * The person switches the first while the model works; the second must keep its list.
 */
export const withTwoHosts = (bench: Bench): Promise<Outcome> =>
  inPlace((first) =>
    inPlace(async (second) => {
      const { url, hostUrls, running } = await first.serveHttp();
      const [firstUrl = '', secondUrl = ''] = hostUrls.map((each) => `${each}&concerns=safe`);
      const [front, otherModel] = [await recordVersions(url), await startModel()];
      try {
        const secondListed = deferred();
        const firstListedAgain = deferred();
        let others: ReturnType<typeof converseAt> | undefined;
        const ofFirst: Step[] = [
          {
            meanwhile: async () => {
              // Only the first host is there so far.
              const [entry, session] = await onlySession(first);
              others = converseAt({ ...bench, model: otherModel }, second, front.through(secondUrl), [
                {
                  meanwhile: async () => {
                    secondListed.resolve();
                    await firstListedAgain.promise;
                  },
                  call: CALL,
                },
                {},
              ]);
              await Promise.race([secondListed.promise, others]);
              await switchSession(entry, session, { preset: 'live' });
            },
            call: CALL,
          },
          { meanwhile: async () => firstListedAgain.resolve() },
        ];
        const one = await converseAt(bench, first, front.through(firstUrl), ofFirst);
        firstListedAgain.resolve();
        const two = await others;
        const counts = (seen: Outcome['seen'] = []) => seen.map(({ shown }) => shown).join(', ');
        return {
          seen: [...one.seen, ...(two?.seen ?? [])],
          notes: [
            `the host that was switched: ${counts(one.seen)} tools; the other: ${counts(two?.seen)}`,
            `protocol versions of their requests: ${[...front.versions].sort().join(', ')}`,
          ],
          log: [...one.log, ...(two?.log ?? [])],
        };
      } finally {
        await otherModel.close();
        front.close();
        await running.stop();
      }
    }),
  );

/** One conversation of one process with the endpoint. */
async function converseAt(bench: Bench, { home, work, env, ...place }: Place, url: string, steps: Step[]) {
  const { script, seen } = converse(steps);
  bench.model.follow(script);
  const setting = {
    home,
    work,
    model: bench.model.url,
    servers: { [SERVER]: { via: 'http', url } },
  } as const;
  const ended = await runHost(bench, { home, work, env, ...place }, setting, TURN);
  return { seen, log: logOf(ended) };
}

/** @returns the endpoint of a place, and the session of its only host */
async function onlySession({ env }: Place) {
  const [running] = await runningProcesses(registryFolder(env));
  const [state, ...more] = running?.states ?? [];
  if (running === undefined || state === undefined || more.length > 0)
    throw new Error(`The endpoint has ${running?.states?.length ?? 0} hosts instead of one.`);
  return [running.entry, state.session] as const;
}

/** Forwards to an endpoint, and keeps which protocol versions the requests name. */
async function recordVersions(url: string) {
  const versions = new Set<string>();
  const { port, hostname, host } = new URL(url);
  const front = createServer((given, response) => {
    const version = given.headers['mcp-protocol-version'];
    if (version !== undefined) versions.add(String(version));
    const { method, url: path } = given;
    const headers = { ...given.headers, host };
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    given.pipe(sent);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const own = (front.address() as AddressInfo).port;
  return {
    versions,
    through: (address: string): string => {
      const through = new URL(address);
      through.port = String(own);
      return through.href;
    },
    close: () => {
      front.closeAllConnections();
      front.close();
    },
  };
}
