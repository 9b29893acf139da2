import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ACCOUNT, type LocalDynamo, startDynamo } from '../../session/dynamo.js';
import { isSilent, MODES, measure, REQUESTS } from './cells.js';
import { type FaultyDynamo, startFaultyDynamo } from './faulty-dynamo.js';

/** `test/behavior/store-faults/run.ts` measures all faults. These answer at once. */
const QUICK = ['missing table', 'half answer', 'lost write'] as const;
const CELLS = QUICK.flatMap((fault) =>
  REQUESTS.flatMap((request) => MODES.map((mode) => [fault, request, mode] as const)),
);

let dynamo: LocalDynamo;
let faulty: FaultyDynamo;
let table: string;
beforeAll(async () => {
  dynamo = await startDynamo();
  faulty = await startFaultyDynamo(dynamo.endpoint);
  table = await dynamo.table();
  vi.stubEnv('AWS_REGION', ACCOUNT.region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCOUNT.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', ACCOUNT.credentials.secretAccessKey);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', faulty.endpoint);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await faulty.close();
  await dynamo.close();
});

it.each(CELLS)(
  'a table with the fault "%s" shows no more to %s under %s than the person chose, and does not hide the fault',
  async (fault, request, mode) => {
    const cell = await measure({ dynamo, faulty, table }, fault, request, mode, 'warm');
    expect({ ...cell, isSilent: isSilent(cell) }).toMatchObject({ showsMore: false, isSilent: false });
  },
);

it.each(
  QUICK.flatMap((fault) =>
    (['initialize', 'list', 'call'] as const).flatMap((request) =>
      MODES.map((mode) => [fault, request, mode] as const),
    ),
  ),
)(
  'a table with the fault "%s" shows no more to %s under %s in a process that was just started, although the id has other preferences',
  async (fault, request, mode) => {
    const cell = await measure({ dynamo, faulty, table }, fault, request, mode, 'cold');
    expect({ ...cell, isSilent: isSilent(cell) }).toMatchObject({ showsMore: false, isSilent: false });
  },
);

it.each(MODES)('an update under %s whose write arrived, without an answer, is confirmed', async (mode) => {
  const cell = await measure({ dynamo, faulty, table }, 'lost write', 'update', mode, 'warm');
  expect(cell).toMatchObject({ answer: 'updated', afterwards: ['a', 'b', 'c'] });
});
