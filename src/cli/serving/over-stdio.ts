import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { serveStdio as serveEras } from '@modelcontextprotocol/server/stdio';
import { attachGate } from '../../core/gate/attach.js';
import type { ReceiveReport } from '../../core/gate/request/report.js';
import { TaskMemory } from '../../core/gate/tasks/task-records.js';
import { BridgedFront } from '../../core/http/bridged-front.js';
import { ListenStreams } from '../../core/http/streams/listen-streams.js';
import { upstreamOf } from '../../core/http/upstream-server.js';
import { receiveFirst } from '../../core/wire/transport-layer.js';
import { DRAIN_MS, watchRequests } from '../../proxy/open-requests.js';
import { HostTransport } from '../../proxy/wires/host-stdio.js';
import { CliError } from '../errors.js';
import { aborted } from '../terminal/interrupt.js';
import { serversOf } from './bridge-server.js';
import { withDefaultPreferences } from './default-preferences.js';
import { createHostStore } from './modern-hosts.js';
import { OPEN_PAGE, type Serving } from './serving.js';
import { streamsOverStdio } from './stdio-streams.js';

/** How long a host that closed its output waits for its answers: as long as the slowest host waits for a call. */
const ANSWER_MS = 10 * 60_000;
/** How long the page waits for the first list of the host: some hosts list only when a person asks. A slow machine needs seconds. */
const PAGE_MS = 3000;

/**
 * Serves one host over stdio, until the host closes the connection. Only MCP messages are written to stdout.
 *
 * @param serving what is served
 * @param preferences the preferences of a host that sends none
 * @returns the exit code
 * @throws {CliError} if the server ends before the host
 * @example
 * await serveStdio(serving, { effect: 'read-only' });
 */
export async function serveStdio(
  serving: Serving,
  preferences: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { opened, policy, control, operations, signal } = serving;
  const { bridged, ...servers } = await serversOf(serving);
  const wire: Transport = withDefaultPreferences(preferences, new HostTransport());
  const requests = watchRequests(wire);
  receiveFirst(wire, (message, next) => {
    serving.used?.receive(message);
    next(message);
  });
  const listed = new AbortController();
  // Hosts show stderr only if somebody looks for it, so it has nothing but what needs a look.
  const report: ReceiveReport = (line, timing) => {
    if (line.method.endsWith('/list')) listed.abort();
    if (line.early || line.warnings?.length) operations.report(line, timing);
  };
  // A stream is a connection of its own, and is about tasks of the calls on the other.
  const gate = { policy, report, listens: true, taskMemory: new TaskMemory() };
  const streams = new ListenStreams(servers.stream);
  // A modern host has no session, and the process is that of one host.
  const kept = { place: 'store', store: createHostStore(), id: 'host', isHost: true } as const;
  const principal = control === undefined ? undefined : kept;
  const modern = { ...gate, principal, switched: () => streams.switched(principal) };
  const transport = streamsOverStdio(wire, (id, inner) => streams.open(id, inner, modern, { era: 'modern' }));
  // The transport closes then too, but listens later.
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  // A host that does not read any more has left.
  const left = new Promise<void>((resolve) => process.stdout.once('error', () => resolve()));
  // A server of a module closes the connection to the host when it ends.
  const closed = new Promise<'closed'>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve('closed');
    };
  });
  const host = serveEras(
    async ({ era }) => {
      const made = era === 'legacy' ? await servers.legacy() : await servers.modern({ era });
      const behind = upstreamOf(made);
      const server = era === 'modern' && behind !== undefined ? new BridgedFront(behind) : made;
      const upstream = behind?.behind;
      const observe = control?.observerOf('stdio');
      attachGate(server, { ...(era === 'modern' ? modern : gate), upstream, observe });
      // The types differ only in what transports of the SDKs tell of a request, which none does over stdio.
      return server as BridgedFront;
    },
    { transport: transport as never },
  );
  try {
    const over = Promise.race([ended, left, aborted(signal), closed]);
    // The host does not wait for the page, whose modules take as long to load as a list takes.
    await Promise.race([aborted(listed.signal), over, sleep(PAGE_MS, undefined, { ref: false })]);
    await control?.listen();
    // Without the key of the page: hosts write stderr to log files.
    if (control !== undefined) operations.note(`Switch what the host is shown: ${OPEN_PAGE}`);
    if ((await over) !== 'closed') {
      await streams.close();
      // A host that has said everything still reads the answers: scripts write all requests at once. A signal does not wait as long.
      const patience = signal.aborted ? DRAIN_MS : ANSWER_MS;
      await Promise.race([
        left,
        aborted(signal).then(() => requests.answerAll(DRAIN_MS)),
        requests.answerAll(patience),
      ]);
      return 0;
    }
    throw new CliError(
      `The server "${opened.name}" ended, so the host cannot reach it. Check that its command runs by itself.`,
    );
  } finally {
    control?.close();
    await host.close();
    await bridged.close();
  }
}
