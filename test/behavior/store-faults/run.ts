/**
 * Prints what a host sees while the session table fails, as a table in Markdown: each fault, request and mode of enforcement,
 * through the DynamoDB store, over HTTP, in a process that served the session before and in one that was just started. The exit code is 1 if more is shown than before, a fault is silent, or a request
 * takes longer than a second: `node scripts/run.mjs test/behavior/store-faults/run.ts`.
 */
import { ACCOUNT, startDynamo } from '../../session/dynamo.js';
import { type Cell, isSilent, MODES, measure, REQUESTS, STARTS } from './cells.js';
import { FAULTS, startFaultyDynamo } from './faulty-dynamo.js';

const LONGEST_MS = 1000;

const dynamo = await startDynamo();
const faulty = await startFaultyDynamo(dynamo.endpoint);
Object.assign(process.env, {
  AWS_REGION: ACCOUNT.region,
  AWS_ACCESS_KEY_ID: ACCOUNT.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: ACCOUNT.credentials.secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: faulty.endpoint,
});
const table = await dynamo.table();
const cells: Cell[] = [];
console.log(
  '| process | fault | request | mode | answer | afterwards | more shown | silent | client told | logged | ms |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|---|');
for (const start of STARTS)
  for (const fault of FAULTS)
    for (const request of REQUESTS)
      for (const mode of MODES) {
        const cell = await measure({ dynamo, faulty, table }, fault, request, mode, start);
        cells.push(cell);
        console.log(rowOf(cell));
      }
await faulty.close();
await dynamo.close();

const failed = cells.filter((cell) => cell.showsMore || isSilent(cell) || cell.ms > LONGEST_MS);
console.log(`\n${cells.length} cells, ${failed.length} of them wrong`);
for (const each of failed) console.log(rowOf(each));
process.exitCode = failed.length === 0 ? 0 : 1;

function rowOf(cell: Cell): string {
  const { start, fault, request, mode, answer, afterwards, showsMore, isTold, isLogged, ms } = cell;
  const after = afterwards === 'gone' ? 'gone' : afterwards.join(' ');
  const flags = [showsMore, isSilent(cell), isTold, isLogged].map((each) => (each ? 'yes' : 'no'));
  return `| ${[start, fault, request, mode, answer.replaceAll('|', '/').replaceAll('\n', ' ').slice(0, 160), after, ...flags, ms].join(' | ')} |`;
}
