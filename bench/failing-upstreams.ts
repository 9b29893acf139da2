/**
 * Sends 10,000 calls of 20 clients to servers that fail in every way, and prints how each call ended, as a table.
 *
 *     npx tsx bench/failing-upstreams.ts [FAULT...] [--verbose]
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpstreamEvent } from '../src/core/telemetry/upstream-event.js';
import { shareUpstream } from '../src/proxy/isolation.js';
import { ChildTransport } from '../src/proxy/wires/child-process.js';
import { remoteTransport } from '../src/proxy/wires/remote.js';
import { callAll, connect, countEvents } from '../test/upstream/call-all.js';
import { type RemoteFault, startFaultyRemote } from '../test/upstream/faulty-remote.js';

const [CLIENTS, CALLS] = [20, 10_000];
const LIMITS = { startMs: 1000, silenceMs: 900 };
const PATIENCE_MS = 30_000;
const folder = mkdtempSync(join(tmpdir(), 'faulty-'));
const CHILD = new URL('../test/upstream/fixtures/faulty-child.mjs', import.meta.url).pathname;

console.log(
  '| upstream | answered | failed | unanswered | wrong | failures | without reason | restarts | service after |',
);
console.log('|---|---|---|---|---|---|---|---|---|');

const wanted = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const isWanted = (fault: string): boolean => wanted.length === 0 || wanted.includes(fault);

const REMOTE = ['forgets', 'restarts', '404', '500', 'nothing', 'half'] as const;
const CHILDREN = ['exit-at-start', 'exit-mid-call', 'hang-at-initialize', 'hang-later', 'flood'];
for (const fault of REMOTE) if (isWanted(fault)) await remote(fault);
for (const fault of CHILDREN) if (isWanted(fault)) await child(fault);

async function remote(fault: RemoteFault): Promise<void> {
  const server = await startFaultyRemote(fault);
  const events: UpstreamEvent[] = [];
  const upstream = shareUpstream(() => remoteTransport(server.url), {
    ...LIMITS,
    report: (event) => void events.push(event),
  });
  server.failing = fault === 'forgets' || fault === '500' || fault === 'half';
  const running = callAll(upstream, { clients: CLIENTS, calls: CALLS, patienceMs: PATIENCE_MS });
  let back = performance.now();
  if (fault === 'restarts') {
    for (let again = 0; again < 5; again++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.restart();
      back = performance.now();
    }
  } else if (!server.failing) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.failing = true;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    server.failing = false;
    back = performance.now();
  }
  const service = await serviceAfter(upstream, back);
  const counts = await running;
  print(`remote: ${fault}`, counts, events, service);
  await upstream.close();
  await server.close();
}

async function child(fault: string): Promise<void> {
  const events: UpstreamEvent[] = [];
  const upstream = shareUpstream(
    () => new ChildTransport(process.execPath, [CHILD, fault, join(folder, fault), '1000']),
    { ...LIMITS, report: (event) => void events.push(event) },
  );
  const counts = await callAll(upstream, { clients: CLIENTS, calls: CALLS, patienceMs: PATIENCE_MS });
  print(`child: ${fault}`, counts, events, await serviceAfter(upstream, performance.now()));
  await upstream.close();
}

/** Milliseconds until a call is answered with a result. */
async function serviceAfter(upstream: Parameters<typeof connect>[0], since: number): Promise<number> {
  for (let n = 1_000_000; ; n++) {
    const call = await connect(upstream);
    const message = await call(n, PATIENCE_MS);
    if (message !== undefined && 'result' in message) return Math.round(performance.now() - since);
    if (performance.now() - since > PATIENCE_MS) return Number.NaN;
  }
}

function print(
  name: string,
  { answered, failed, unanswered, wrong, errors }: Awaited<ReturnType<typeof callAll>>,
  events: readonly UpstreamEvent[],
  service: number,
): void {
  const { failures, withoutReason, restarts, reasons } = countEvents(events);
  const cells = [answered, failed, unanswered, wrong, failures, withoutReason, restarts, `${service} ms`];
  console.log(`| ${name} | ${cells.join(' | ')} |`);
  if (process.argv.includes('--verbose')) console.log({ reasons, errors });
}
