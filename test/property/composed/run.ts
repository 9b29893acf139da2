import { compareDecisions } from './compare.js';

const [configurations = '2000', seed = '1'] = process.argv.slice(2);
const { decisions, different } = compareDecisions(Number(configurations), Number(seed));
console.log(`${decisions} decisions, alone and composed: ${different.length} differ`);
for (const each of different) console.log(each);
process.exitCode = different.length === 0 && decisions > 0 ? 0 : 1;
