/**
 * What V8 saw run since the last look. Loaded by `trace.mjs`, and with `--import` into a process that it forks and asks.
 */
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** @returns the functions that ran since the last call, by URL of their file */
export async function functionsThatRan() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.map(({ url, functions }) => ({
    url,
    functions: functions
      .filter(({ ranges: [whole] }) => whole.count > 0)
      .map(({ functionName, ranges: [whole] }) => `${functionName}:${whole.startOffset}`),
  }));
}

process.on('message', async (message) => {
  if (message === 'take') process.send?.(await functionsThatRan());
});
