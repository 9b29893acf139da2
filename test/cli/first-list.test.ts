import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fixture, MAIN } from './run.js';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-list-'));
  writeFileSync(at('policy.yaml'), 'version: 1\nconcerns: { effect: { values: [read, change] } }\n');
  writeFileSync(at('one'), 'a tool');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the URL of each module that is loaded into a file, as soon as it is. */
const RECORDER = dataUrl(`import { register } from 'node:module';
register(${JSON.stringify(
  dataUrl(`import { appendFileSync } from 'node:fs';
export const load = (url, context, next) => {
  if (!url.startsWith('node:')) appendFileSync(process.env.LOADED, url + '\\n');
  return next(url, context);
};`),
)});`);

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Returns the modules that `serve --stdio` has loaded when it answers the first list. */
async function loadedBeforeFirstList(
  wait: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  rmSync(at('loaded'), { force: true });
  const server = [process.execPath, fixture('slow-server.mjs'), at('one')];
  const serve = ['serve', '--no-project', '--policy', at('policy.yaml'), '--stdio', '--', ...server];
  const client = new Client({ name: 'host', version: '1' });
  const env = { PATH: process.env.PATH ?? '', XDG_STATE_HOME: folder, LOADED: at('loaded') };
  const args = ['--import', RECORDER, MAIN, ...serve];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  const loaded = readFileSync(at('loaded'), 'utf8').trim().split('\n');
  expect(tools.map(({ name }) => name)).toContain('who');
  await wait();
  await client.close();
  return loaded;
}

it('loads little before it answers the first list from what the server listed at its last start', async () => {
  const isKept = () =>
    existsSync(at('mcp-concerns/catalogs')) &&
    readdirSync(at('mcp-concerns/catalogs')).some((name) => name.endsWith('.json'));
  await loadedBeforeFirstList(() => expect.poll(isKept).toBe(true));
  // From now on the server does not start.
  writeFileSync(at('one.wait'), '');
  const loaded = await loadedBeforeFirstList();
  const packaged = loaded.flatMap((url) => url.split('/node_modules/')[1] ?? []);
  // The command has everything in it. The schemas of SDK v1 alone take longer to load than all that is left.
  expect(packaged).toEqual([]);
  // Each costs half a millisecond. Add some only for what the first list needs; import all others when they are used.
  expect(loaded.length).toBeLessThan(140);
});
