import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startEnvironment } from '../../deploy/project.js';
import { unzip } from '../../deploy/unzip.js';
import { httpEvent } from '../../lambda/events.js';
import { copyExample, installedPackages, isAvailable } from './pages.js';

const example = copyExample('lambda');

it('installs only packages that exist', () => {
  expect(installedPackages(example).filter((name) => !isAvailable(name))).toEqual([]);
});

it('packages a function that returns filtered lists', async () => {
  await example.run(/^npx osls package/);
  const task = join(example.folder, 'task');
  await unzip(join(example.folder, '.serverless/notes.zip'), task);
  const environment = startEnvironment(task);
  try {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const all = await environment.invoke(httpEvent('POST', body));
    expect(all.json).toMatchObject({
      result: { tools: [{ name: 'list_notes' }, { name: 'read_note' }, { name: 'write_note' }] },
    });
    const filtered = await environment.invoke(
      httpEvent('POST', body, { rawQueryString: 'concerns=access:read' }),
    );
    expect(filtered.json).toMatchObject({
      result: { tools: [{ name: 'list_notes' }, { name: 'read_note' }] },
    });
  } finally {
    await environment.close();
  }
});
