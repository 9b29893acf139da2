import { afterEach, describe, expect, it } from 'vitest';
import type { GateReport } from '../../src/core/gate/request/report.js';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { reportFields } from '../../src/core/telemetry/report-fields.js';
import { bridge } from '../../src/proxy/isolation.js';
import { SessionProxy } from '../../src/proxy/sessions/session-proxy.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { policyOf } from '../gate/gate-harness.js';
import { hostOf, startGuardedRemote } from './guarded-remote.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const policy = policyOf('concerns: { effect: { values: [read, write] } }');
const ERAS = ['legacy', 'modern'] as const;
const FRONTS = ['handler', 'sessions'] as const;
const CASES = ERAS.flatMap((host) => ERAS.map((server) => ({ host, server })));

describe.each(CASES)('a $host host in front of a $server server', ({ host, server }) => {
  /** Lists over both kinds of endpoint. */
  const list = async (front: (typeof FRONTS)[number]) => {
    const remote = await startGuardedRemote(server);
    const bridged = bridge(() => remoteTransport(remote.url), 'per-session', {
      isLongLived: true,
      isOfOnePerson: true,
    });
    const reports: GateReport[] = [];
    const report = (each: GateReport) => void reports.push(each);
    const handle = createHandler({ server: (context) => bridged.make(context), policy });
    const proxy = new SessionProxy({
      server: () => bridged.connection(),
      policy,
      report,
      store: createMemoryStore(),
    });
    open.push(
      remote.close,
      () => bridged.close(),
      () => proxy.close(),
    );
    const post = await hostOf(host, (request) =>
      front === 'handler' ? handle(request, { report }) : proxy.fetch(request),
    );
    const text = await (await post('tools/list')).text();
    return { text, line: reportFields(reports.at(-1) ?? { method: 'none', era: 'legacy' }) };
  };

  it.each(host === 'legacy' ? FRONTS : (['handler'] as const))(
    'logs the era of both, over the %s',
    async (front) => {
      const { line } = await list(front);
      expect(line).toMatchObject({ 'mcp.method.name': 'tools/list', era: host, serverEra: server });
    },
  );

  it('lists a tool that only runs as a task where its tasks can be used', async () => {
    const { text } = await list('handler');
    expect(text).toContain('"delete"');
    expect(text.includes('"later"')).toBe(!(host === 'modern' && server === 'legacy'));
  });
});
