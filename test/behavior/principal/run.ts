import { startDynamo } from '../../session/dynamo.js';
import { play } from './play.js';

/** Plays many calls and prints what was counted: `node scripts/run.mjs test/behavior/principal/run.ts 5000 1`. The process fails if a list was wrong. */
const [calls = 5000, seed = 1] = process.argv.slice(2).map(Number);
const dynamo = await startDynamo();
try {
  const { stale, foreign, ...counts } = await play(dynamo, calls, seed);
  console.log({ ...counts, stale: stale.length, foreign: foreign.length });
  for (const problem of [...stale, ...foreign].slice(0, 10)) console.error(problem);
  const failed = stale.length + foreign.length + counts.inconsistentReads > 0;
  process.exitCode = failed ? 1 : 0;
} finally {
  await dynamo.close();
}
