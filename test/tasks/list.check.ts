import { afterAll, beforeAll } from 'vitest';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { describeManyTasks } from './many-tasks-suite.js';

// Writing so many tasks takes minutes: not part of `npm test`.
let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

describeManyTasks(
  () => dynamo,
  10_000,
  (line) => process.stdout.write(`${line}\n`),
);
