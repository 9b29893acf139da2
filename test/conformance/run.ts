import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { attachGate } from '../../src/core/gate/attach.js';
import { checkAccessEarly } from '../../src/core/http/early-access-check.js';
import { loadPolicy } from '../../src/core/policy/index.js';
import type { ConnectableServer, Policy } from '../../src/index.js';
import { compare, count, notPassed } from './compare.js';
import { type Fixture, serve } from './endpoint.js';
import { createV1Fixture } from './sdk-v1.js';
import { createV2Fixture } from './sdk-v2.js';
import { installSuite, type Report, runSuite } from './suite.js';

/**
 * Runs the official suite against a server without the gate, and with it under `advisory` and `enforce`. The suite sends
 * no preferences, so all reports must be equal, check by check. The output of the suite is kept in `build/conformance`.
 */
const RESULTS = 'build/conformance';

interface Revision {
  readonly name: string;
  create(prepare: (server: ConnectableServer) => void): Fixture;
  /** Adds the access check before the handler under `enforce`, because SDK v2 answers some requests before any transport. */
  around?(fetch: Fixture['fetch'], probe: string): Fixture['fetch'];
}

/** Adds the early access check. The handler of the fixture reads the body itself, so it gets a new request. */
function checkParsed(fetch: Fixture['fetch'], probe: string): Fixture['fetch'] {
  const checked = checkAccessEarly(
    ({ url, method, headers, signal }, body) =>
      fetch(new Request(url, { method, headers, signal, body: JSON.stringify(body) })),
    probe,
    () => Response.json({}, { status: 403 }),
  );
  return async (request) => {
    if (request.method !== 'POST') return fetch(request);
    const again = request.clone();
    const body: unknown = await request.json().catch(() => undefined);
    return body === undefined ? fetch(again) : checked(again, body);
  };
}

const REVISIONS: readonly Revision[] = [
  { name: '2025-11-25', create: createV1Fixture },
  { name: '2026-07-28', create: createV2Fixture, around: checkParsed },
];

/** The options of the gate; `undefined` for the server without it. */
const GATES = [
  { name: 'without', policy: undefined },
  { name: 'advisory', policy: loadPolicy('test/conformance/policy.yaml') },
  { name: 'enforce', policy: loadPolicy('test/conformance/enforce.yaml') },
];

await installSuite();
let different = 0;
for (const revision of REVISIONS) {
  let without: Report = new Map();
  for (const { name, policy } of GATES) {
    const start = performance.now();
    const { report, requests } = await against(revision, name, policy);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const through = policy === undefined ? '' : `, ${requests} requests reported`;
    console.log(`${revision.name} ${name.padEnd(8)} ${count(report)} (${seconds} s${through})`);
    if (policy === undefined) {
      without = report;
      for (const line of notPassed(report)) console.log(`  not passed: ${line}`);
      continue;
    }
    if (requests === 0)
      throw new Error('The gate did not report any request, so the comparison proves nothing.');
    for (const difference of compare(without, report)) {
      different += 1;
      const { scenario, check } = difference;
      console.log(`  DIFFERENT: ${scenario}, ${check}`);
      console.log(`    without the gate: ${difference.without}\n    with it: ${difference.with}`);
    }
  }
}
console.log(
  different === 0
    ? 'Every check has the same result with and without the gate.'
    : `${different} differences.`,
);
process.exitCode = different === 0 ? 0 : 1;

/** Runs the suite against a new fixture. `requests` is the number that the gate reported. */
async function against(
  { name, create, around }: Revision,
  gate: string,
  policy: Policy | undefined,
): Promise<{ report: Report; requests: number }> {
  const probe = randomUUID();
  let requests = 0;
  const countReport = () => {
    requests += 1;
  };
  const fixture = create((server) => {
    if (policy !== undefined) attachGate(server, { policy, probe, report: countReport });
  });
  const checked = policy?.settings.enforcement === 'enforce' ? around?.(fixture.fetch, probe) : undefined;
  const endpoint = await serve(checked ?? fixture.fetch);
  try {
    const report = await runSuite(endpoint.url, name, join(RESULTS, `${name}-${gate}`));
    return { report, requests };
  } finally {
    await fixture.close();
    await endpoint.close();
  }
}
