import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeModule } from '../../src/deploy/probe-module.js';

/** By the version of the SDK of a project: its package, and the module that has `McpServer`. */
const SDKS = {
  1: { has: 'sdk', path: '@modelcontextprotocol/sdk/server/mcp.js' },
  2: { has: 'server', path: '@modelcontextprotocol/server' },
} as const;
const SCOPE = '@modelcontextprotocol';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'one-sdk-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a project that has every package of this repository but those of the other SDK. The package is in it, and not linked. */
function projectOf(sdk: 1 | 2): string {
  const project = join(folder, `v${sdk}`);
  const link = (name: string): void => {
    const to = join(project, 'node_modules', name);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(realpathSync(resolve('node_modules', name)), to);
  };
  for (const name of readdirSync('node_modules')) if (!name.startsWith('.') && name !== SCOPE) link(name);
  link(`${SCOPE}/${SDKS[sdk].has}`);
  const own = join(project, 'node_modules/mcp-concerns');
  rmSync(own, { recursive: true, force: true });
  cpSync('dist', join(own, 'dist'), { recursive: true });
  cpSync('package.json', join(own, 'package.json'));
  return project;
}

it.each([1, 2] as const)('tries the module of a project that has SDK v%i only', async (sdk) => {
  const project = projectOf(sdk);
  const path = join(project, 'server.mjs');
  writeFileSync(
    path,
    `import { McpServer } from '${SDKS[sdk].path}';
export const createServer = () => new McpServer({ name: 'notes', version: '1' }, { capabilities: { tools: {} } });
`,
  );
  const worker = join(project, 'node_modules/mcp-concerns/dist/deploy/probe/probe-worker.js');
  expect(await probeModule({ path, name: 'server.mjs', sdk }, { worker })).toEqual({ state: 'serves' });
});
