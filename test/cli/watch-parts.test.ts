import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { connectOverHttp } from '../clients.js';
import { fixture, type Running, start } from './run.js';

let running: Running | undefined;
afterEach(async () => {
  running?.child.kill('SIGTERM');
  await running?.ended;
});

const TOP = `version: 1
servers:
  files: { policy: parts/files.yaml }
  docs: { policy: parts/docs.yaml }
settings: { defaults: always }
`;
const part = (effects: string): string => `version: 1
concerns: { effect: { values: [read, change], match: at-most, default: read } }
primitives:
  tools:
    same: { effect: read }
${effects}`;
const ALL = ['docs__die', 'docs__same', 'docs__who', 'files__die', 'files__same', 'files__who'];

it('serve takes a part of its policy and the file that joins the parts when they are saved, and not half a part', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  const save = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  save('server', 'x');
  const server = { command: process.execPath, args: [fixture('slow-server.mjs'), join(folder, 'server')] };
  save('servers.json', JSON.stringify({ mcpServers: { files: server, docs: server } }));
  mkdirSync(join(folder, 'parts'));
  save('top.yaml', TOP);
  save('parts/files.yaml', part(''));
  save('parts/docs.yaml', part(''));
  running = start(
    ...['serve', '--no-project', '--port', '0', '--panel', 'off', '--policy', join(folder, 'top.yaml')],
    ...['--servers', join(folder, 'servers.json')],
  );
  const url = / on (http\S+)/.exec(await running.until('stdout', /Press Ctrl-C/))?.[1] ?? '';
  const client = await connectOverHttp(url);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name).sort();
  const without = (...gone: string[]) => ALL.filter((name) => !gone.includes(name));
  expect(await names()).toEqual(ALL);

  const changes = '    who: { effect: change }\n    die: { effect: change }\n';
  save('parts/files.yaml', part(changes));
  await expect.poll(names).toEqual(without('files__who', 'files__die'));

  save('parts/files.yaml', part('    who: { effect: change }\n'));
  await running.until('stderr', /The saved policy lacks .*die.*, so it may be half written/);
  expect(await names()).toEqual(without('files__who', 'files__die'));
  save('parts/files.yaml', part(changes));

  const rule = '{ ===: [{ var: primitive.server }, docs] }';
  save('top.yaml', `${TOP}rules: [{ id: no-docs, hide: [tools], when: ${rule} }]\n`);
  await expect.poll(names).toEqual(['files__same']);

  save('parts/docs.yaml', part('    who: { effect: nowhere }\n'));
  await running.until('stderr', /parts\/docs\.yaml[\s\S]*The saved policy has errors/);
  expect(await names()).toEqual(['files__same']);
  await client.close();
});
