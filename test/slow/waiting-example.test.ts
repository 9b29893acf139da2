import { expect, it } from 'vitest';
import { API, examples, isWaiting, runExamples } from '../api/examples.js';
import { createProject } from '../behavior/examples/pages.js';

const { folder } = createProject(API);

it('the example that tests a session store for a minute finds no broken rule', async () => {
  const waiting = examples.filter(isWaiting);
  expect(waiting).toHaveLength(1);
  const { printed, shown } = await runExamples(folder, waiting);
  expect(printed).toBe(shown);
});
