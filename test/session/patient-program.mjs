/**
 * Programs that tests start load this first. Limits of calls to a store are fractions of a second, because a host waits. On a
 * busy machine they end calls that a test has to see answered, so here they are as long as tests wait.
 */
import { promisify } from 'node:util';

const WAIT_MS = 150_000;
/** The limit of one attempt, in `src/core/session/dynamodb-client.ts`. */
const ATTEMPT_MS = 250;

const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => timeout.call(AbortSignal, Math.max(ms, WAIT_MS));

const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign(
  (done, ms, ...given) => setTimeout(done, ms === ATTEMPT_MS ? WAIT_MS : ms, ...given),
  { [promisify.custom]: setTimeout[promisify.custom] },
);
