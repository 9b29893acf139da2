import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { begin, post, send } from '../cli/service/service.js';
import { freePort } from '../session/redis-server.js';

const ENV = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };
const isPossible = spawnSync('buildah', ['--version']).status === 0 && process.getuid?.() === 0;
/** It copies and commits 180 MB, which takes minutes on a busy machine. */
const PATIENCE_MS = 900_000;
const WITHOUT = 'skipped without buildah, or if it is not run as root';

const folder = mkdtempSync(join(tmpdir(), 'image-'));
let container = '';
afterAll(() => {
  if (container !== '') spawnSync('buildah', ['rm', container], { env: ENV });
  if (isPossible) spawnSync('buildah', ['rmi', 'mcp-concerns:test'], { env: ENV });
  rmSync(folder, { recursive: true, force: true });
});

/** Makes the folder that "npm ci --omit=dev" makes in the Containerfile, from what is installed here. */
function makeApp(): string {
  const app = join(folder, 'app');
  const modules = join(app, 'node_modules');
  const copied = new Set<string>();
  const copy = (name: string): void => {
    if (copied.has(name)) return;
    copied.add(name);
    const from = join('node_modules', name);
    cpSync(from, join(modules, name), { recursive: true });
    const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    for (const each of Object.keys(dependencies)) copy(each);
  };
  const own = join(modules, 'mcp-concerns');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of ['dist', 'package.json', 'templates'])
    cpSync(name, join(own, name), { recursive: true });
  symlinkSync('../mcp-concerns/dist/cli/main.js', join(modules, '.bin/mcp-concerns'));
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const name of [...Object.keys(dependencies), 'prom-client']) copy(name);
  cpSync('test/cli/fixtures/operations-server.mjs', join(app, 'server.mjs'));
  const policy =
    'version: 1\nconcerns: { effect: { values: [read, write], match: at-most } }\nprimitives: { tools: { wipe: { effect: write } } }\n';
  writeFileSync(join(app, 'policy.yaml'), policy);
  return app;
}

describe.skipIf(!isPossible)(`an image (${WITHOUT})`, () => {
  it(
    'boots as a user without rights, and serves lists and counts',
    async () => {
      const script = ['test/deploy/build-image.sh', process.execPath, makeApp()];
      container = execFileSync('sh', script, {
        encoding: 'utf8',
        env: ENV,
        stdio: ['ignore', 'pipe', 'inherit'],
      }).trim();
      const [port, metrics] = [await freePort(), await freePort()];
      const serve = [
        'node_modules/.bin/mcp-concerns',
        'serve',
        '--no-project',
        '--host',
        '0.0.0.0',
        '--open',
      ];
      const options = ['--port', String(port), '--metrics', String(metrics), '--policy', 'policy.yaml'];
      const who = spawnSync('buildah', ['run', container, '--', 'node', '-p', 'process.getuid()'], {
        encoding: 'utf8',
        env: ENV,
      });
      expect([who.stdout.trim(), who.stderr]).toEqual(['1000', '']);
      const args = ['run', container, '--', ...serve, ...options, '--', 'node', 'server.mjs'];
      const child = spawn('buildah', args, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stderr.resume();
      try {
        let text = '';
        for await (const chunk of child.stdout) {
          text += chunk;
          if (text.includes('to stop.')) break;
        }
        const url = new URL(`http://127.0.0.1:${port}/mcp`);
        expect((await send(new URL('/readyz', url), 'GET')).status).toBe(200);
        const list = await post(url, await begin(url, {}, { effect: 'read' }), 'tools/list');
        expect([list.status, list.text.includes('"look"'), list.text.includes('"wipe"')]).toEqual([
          200,
          true,
          false,
        ]);
        const counts = await send(`http://127.0.0.1:${metrics}/metrics`, 'GET');
        expect(counts.text).toMatch(/^mcp_requests_total 2$/m);
      } finally {
        child.kill('SIGTERM');
      }
      // buildah does not tell how the process inside ended.
      await once(child, 'exit');
    },
    PATIENCE_MS,
  );
});
