import { resolve } from 'node:path';
import { configDefaults } from 'vitest/config';
import { PATIENCE } from './patience.js';

/** What the Vitest configurations share. */
export const SHARED = {
  root: '.',
  // What commands keep for their user, such as the key of the endpoint.
  env: { XDG_STATE_HOME: resolve('build/state') },
  testTimeout: PATIENCE.test,
  hookTimeout: PATIENCE.test,
  expect: { poll: { timeout: PATIENCE.wait, interval: 10 } },
  // `npm run conformance` and others install packages below `test`. An `exclude` replaces these defaults.
  exclude: configDefaults.exclude,
  reporters: ['default', './test/closing-line.ts'],
};

/** Replace modules with `vi.mock`, which has no effect on modules that an earlier file loaded. */
export const MOCKING = [
  'test/behavior/examples/vault/secrecy.test.ts',
  'test/tasks/attach.test.ts',
  'test/tasks/result.test.ts',
  'test/tasks/streams-of-own-servers.test.ts',
  'test/tasks/subscriptions.test.ts',
  'test/tasks/walk.test.ts',
  'test/tasks/wire.test.ts',
];

/** Start a server for almost every command that they run. */
export const SERVERS = [
  'test/cli/{half-catalog,init,pin,project,whole-list}.test.ts',
  'test/behavior/whole-list-key.test.ts',
];

/** Start several processes for each test, and end, kill and restart them. */
export const PROCESSES = [
  'test/tasks/*.check.ts',
  'test/eras/eras.test.ts',
  'test/cli/{drain,endpoint-key,eras,killed-server,listen,modern-module,modern-switch}.test.ts',
  'test/cli/{forward,login,processes,refused-callers,serve-any,serve-limits,servers,start-at-once,switch}.test.ts',
  'test/cli/{server-module,task-streams,watch-parts}.test.ts',
  'test/cli/service/*.test.ts',
];

/** Try generated inputs: `npm test` a part of them, the project `generated` of test/slow all. See `sample`. */
export const GENERATED = [
  'test/property/**/*.test.ts',
  'test/analysis/{explain-rule,smallest-change}.test.ts',
  'test/engine/{caller-facts,expression-reference}.test.ts',
  'test/gate/fuzz.test.ts',
  'test/gate/enforce/refused-names.test.ts',
  'test/gate/lists/paging.test.ts',
  'test/gate/panel/{added-tools,panel-counts}.test.ts',
  'test/page/move-switches.test.ts',
  'test/tasks/replay.test.ts',
];

/**
 * The tests of `npm run test:slow`, which `npm test` leaves out: slow by nature, because they start a browser, package
 * functions for Lambda, read what `osls bundle` wrote, pack the package, follow the documentation with `npx`, or start one
 * process after the other.
 */
export const SLOW = [
  ...SERVERS,
  ...PROCESSES,
  'test/slow/browser/*.test.ts',
  'test/deploy/{controls,endpoint,image,modules,offline}.test.ts',
  'test/behavior/examples/{deploy,guides,lambda,service}.test.ts',
  'test/behavior/examples/vault/walkthrough.test.ts',
  'test/lambda/endpoint/{bundle,environments,bundle-template,forward,observe-template,tasks-template,jwt-tasks}.test.ts',
  'test/slow/{pack,waiting-example}.test.ts',
  'test/behavior/leaks/*.test.ts',
];
