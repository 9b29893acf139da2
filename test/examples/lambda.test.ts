import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import jszip from 'jszip';
import { expect, it } from 'vitest';
import { startEnvironment } from '../deploy/project.js';
import { httpEvent } from '../lambda/events.js';
import { copyExample, installedPackages, isAvailable } from './pages.js';

const example = copyExample('lambda');

/** Unpacks a zip, as Lambda does. */
async function unzip(file: string, folder: string): Promise<void> {
  const { files } = await jszip.loadAsync(readFileSync(file));
  for (const entry of Object.values(files)) {
    if (entry.dir) continue;
    const target = join(folder, entry.name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, await entry.async('nodebuffer'));
  }
}

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
