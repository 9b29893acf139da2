import { play } from './play.js';

/** Plays many conversations and prints what was counted: `node scripts/run.mjs test/behavior/listening/run.ts 1000 1`. The process fails if a list or a stream was wrong. */
const [conversations = 1000, seed = 1] = process.argv.slice(2).map(Number);
const { different, wrong, ...counts } = await play(conversations, seed);
console.log({ conversations, ...counts, different: different.length, wrong: wrong.length });
for (const problem of [...different, ...wrong].slice(0, 10)) console.error(problem);
process.exitCode = different.length + wrong.length > 0 ? 1 : 0;
