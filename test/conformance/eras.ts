import { join } from 'node:path';
import { start } from '../cli/run.js';
import { count, notPassed } from './compare.js';
import { type Fixture, serve } from './endpoint.js';
import { NOT_BRIDGED } from './not-bridged.js';
import { createV1Fixture } from './sdk-v1.js';
import { createV2Fixture } from './sdk-v2.js';
import { installSuite, runSuite } from './suite.js';

/**
 * Runs the official suite of each revision against the packaged `serve`, in front of a server that speaks only the other
 * revision. Prints each check that did not pass with its reason, and exits with 1 if there is one without.
 */
const ONLY_OTHER: readonly { readonly revision: string; readonly create: () => Fixture }[] = [
  { revision: '2025-11-25', create: () => createV2Fixture(() => undefined) },
  { revision: '2026-07-28', create: () => createV1Fixture(() => undefined) },
];
const SERVE = ['serve', '--no-project', '--policy', 'test/conformance/policy.yaml'];
const LOCAL = ['--port', '0', '--open', '--panel', 'off'];

await installSuite();
let unexplained = 0;
for (const { revision, create } of ONLY_OTHER) {
  const fixture = create();
  const behind = await serve(fixture.fetch);
  const { child, ended, until } = start(...SERVE, ...LOCAL, '--url', behind.url);
  try {
    const [, url = ''] = /on (http\S+)/.exec(await until('stdout', /on http\S+/)) ?? [];
    const report = await runSuite(url, revision, join('build/conformance', `${revision}-bridged`));
    console.log(`${revision} in front of the other revision: ${count(report)}`);
    for (const line of notPassed(report)) {
      const reason = NOT_BRIDGED.find(({ checks }) => checks.test(line))?.reason;
      if (reason === undefined) unexplained++;
      console.log(`  not passed: ${line}\n    ${reason ?? 'WITHOUT A REASON'}`);
    }
  } finally {
    child.kill('SIGINT');
    await ended;
    await fixture.close();
    await behind.close();
  }
}
console.log(`${unexplained} checks without a reason.`);
process.exitCode = unexplained === 0 ? 0 : 1;
