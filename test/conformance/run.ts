import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { checkAccessEarly } from '../../src/http/early-access-check.js';
import { attachConcerns, type ConnectableServer, type Policy } from '../../src/index.js';
import { loadPolicy } from '../../src/policy/index.js';
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
  /** The access check in front of the handler under `enforce`: SDK v2 answers some requests before any transport. */
  around?(fetch: Fixture['fetch'], probe: string): Fixture['fetch'];
}

/** The handler of the fixture reads the body itself, so it gets a request with a new body. */
function guardParsed(fetch: Fixture['fetch'], probe: string): Fixture['fetch'] {
  const guarded = checkAccessEarly(
    ({ url, method, headers, signal }, body) =>
      fetch(new Request(url, { method, headers, signal, body: JSON.stringify(body) })),
    probe,
  );
  return async (request) => {
    if (request.method !== 'POST') return fetch(request);
    const again = request.clone();
    const body: unknown = await request.json().catch(() => undefined);
    return body === undefined ? fetch(again) : guarded(again, body);
  };
}

const REVISIONS: readonly Revision[] = [
  { name: '2025-11-25', create: createV1Fixture },
  { name: '2026-07-28', create: createV2Fixture, around: guardParsed },
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
    const through = policy === undefined ? '' : `, ${requests} requests judged`;
    console.log(`${revision.name} ${name.padEnd(8)} ${count(report)} (${seconds} s${through})`);
    if (policy === undefined) {
      without = report;
      for (const line of notPassed(report)) console.log(`  not passed: ${line}`);
      continue;
    }
    if (requests === 0) throw new Error('The gate received no request, so the comparison proves nothing.');
    for (const difference of compare(without, report)) {
      different += 1;
      const { scenario, check } = difference;
      console.log(`  DIFFERENT: ${scenario}, ${check}`);
      console.log(`    without the gate: ${difference.without}\n    with it: ${difference.with}`);
    }
  }
}
console.log(
  different === 0 ? 'The same with and without the gate, check by check.' : `${different} differences.`,
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
  const judged = () => {
    requests += 1;
  };
  const fixture = create((server) => {
    if (policy !== undefined) attachConcerns(server, { policy, probe, report: judged });
  });
  const guarded = policy?.settings.enforcement === 'enforce' ? around?.(fixture.fetch, probe) : undefined;
  const endpoint = await serve(guarded ?? fixture.fetch);
  try {
    const report = await runSuite(endpoint.url, name, join(RESULTS, `${name}-${gate}`));
    return { report, requests };
  } finally {
    await fixture.close();
    await endpoint.close();
  }
}
