import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { afterAll, expect, it } from 'vitest';
import { installedPackages, isAvailable } from './pages.js';
import { connect, createRecipes, expectBothEras, namesOf, PAGE, shownFiles } from './runtimes.js';

const project = await createRecipes();
const ending: (() => void)[] = [];
afterAll(() => {
  for (const end of ending) end();
});

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it(`${PAGE} installs only packages that exist`, () => {
  expect(installedPackages(project).filter((name) => !isAvailable(name))).toEqual([]);
  expect(shownFiles().map(({ name }) => name)).toEqual([
    'policy.yaml',
    'server.js',
    'api/mcp.js',
    'wrangler.toml',
    'node.js',
    'Dockerfile',
    'worker.js',
    'wrangler.toml',
  ]);
});

it('the function for Vercel serves clients of both eras', async () => {
  const module: { default: { fetch(request: Request): Promise<Response> } } = await import(
    pathToFileURL(join(project.folder, 'api/mcp.js')).href
  );
  const server = createServer(getRequestListener((request) => module.default.fetch(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(() => server.close());
  await expectBothEras(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/mcp`);
});

it('the program for containers serves clients of both eras on the port of the platform', async () => {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const program = spawn(process.execPath, ['node.js'], { cwd: project.folder, env, stdio: 'inherit' });
  ending.push(() => program.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 'not yet',
      ),
    )
    .toBe(405);
  await expectBothEras(url);
  // AgentCore Runtime adds a session id of its own to each request.
  const client = await connect(url, 'legacy', { 'Mcp-Session-Id': crypto.randomUUID() });
  expect(await namesOf(client)).toEqual(['read_note', 'write_note']);
  await client.close();
});
