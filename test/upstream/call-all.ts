import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { UpstreamEvent } from '../../src/core/telemetry/upstream-event.js';
import type { IsolatedUpstream } from '../../src/proxy/isolation.js';

/** How calls through an upstream ended. */
export interface CallCounts {
  readonly answered: number;
  readonly failed: number;
  readonly unanswered: number;
  readonly wrong: number;
  readonly errors: ReadonlySet<string>;
}

/** Counts events by state, with the reasons of the failures. */
export function countEvents(events: readonly UpstreamEvent[]) {
  const failures = events.filter(({ state }) => state === 'failed');
  return {
    failures: failures.length,
    withoutReason: failures.filter(({ reason = '' }) => reason === '').length,
    restarts: events.filter(({ state }) => state === 'restarting').length,
    stderr: events.filter(({ stderr }) => stderr !== undefined).length,
    reasons: [...new Set(failures.map(({ reason }) => reason))],
  };
}

/** Each client sends its calls one after the other. A call without an answer after `patienceMs` is unanswered. */
export async function callAll(
  upstream: Pick<IsolatedUpstream, 'server'>,
  { clients, calls, patienceMs }: { clients: number; calls: number; patienceMs: number },
): Promise<CallCounts> {
  let [answered, failed, unanswered, wrong] = [0, 0, 0, 0];
  const errors = new Set<string>();
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const call = await connect(upstream);
      for (let at = index; at < calls; at += clients) {
        const message = await call(at, patienceMs);
        if (message === undefined) unanswered++;
        else if ('error' in message) {
          failed++;
          errors.add(message.error.message);
        } else {
          answered++;
          if (!JSON.stringify(message).includes(`"${at}"`)) wrong++;
        }
      }
    }),
  );
  return { answered, failed, unanswered, wrong, errors };
}

type Call = (n: number, patienceMs: number) => Promise<JSONRPCMessage | undefined>;

/** Returns a function that calls the tool `echo`. */
export async function connect(upstream: Pick<IsolatedUpstream, 'server'>): Promise<Call> {
  const server = upstream.server();
  const waiting = new Map<unknown, (message: JSONRPCMessage) => void>();
  const transport = {
    onmessage: undefined as ((message: JSONRPCMessage) => void) | undefined,
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: JSONRPCMessage) => {
      if ('id' in message) waiting.get(message.id)?.(message);
    },
  };
  await server.connect(transport as never);
  return (n, patienceMs) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), patienceMs);
      waiting.set(n, (message) => {
        clearTimeout(timer);
        waiting.delete(n);
        resolve(message);
      });
      const params = { name: 'echo', arguments: { n } };
      transport.onmessage?.({ jsonrpc: '2.0', id: n, method: 'tools/call', params });
    });
}
