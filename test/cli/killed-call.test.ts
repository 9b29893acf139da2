import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { connectOverHttp } from '../clients.js';
import { type Running, start } from './run.js';

const CHILD = fileURLToPath(new URL('../upstream/fixtures/faulty-child.mjs', import.meta.url));

let running: Running | undefined;
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
});

it('serve logs a call whose server was killed with its error, and not like one that succeeded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  writeFileSync(join(folder, 'policy.yaml'), 'version: 1\nconcerns: { access: { values: [none, all] } }\n');
  running = start(
    ...['serve', '--port', '0', '--policy', join(folder, 'policy.yaml'), '--'],
    ...[process.execPath, CHILD, 'none', join(folder, 'starts')],
  );
  const { until } = running;
  const url = /on (http:\S+)/.exec(await until('stdout', /to stop\.\n/))?.[1] ?? '';
  const client = await connectOverHttp(url);
  const { content } = await client.callTool({ name: 'pid' });
  const [{ text = '' } = {}] = content as { text?: string }[];
  const waiting = client.callTool({ name: 'wait', arguments: { n: 600_000 } });
  const failed = expect(waiting).rejects.toThrow(/tools\/call/);
  // The server reads in order, so the call has arrived when the next one was answered.
  await client.callTool({ name: 'pid' });
  process.kill(Number(text), 'SIGKILL');
  await failed;
  const log = await until('stderr', /tools\/call.*error -\d+.*\n/);
  const calls = log.split('\n').filter((line) => line.startsWith('tools/call'));
  expect(calls).toEqual([
    'tools/call  legacy host',
    'tools/call  legacy host',
    expect.stringMatching(/^tools\/call {2}legacy host {2}error -32\d+/),
  ]);
  await client.close();
});
