import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../behavior/examples/pages.js';
import { begin, post } from '../cli/service/service.js';
import { run, unreachableRegistry, Workspace } from './project.js';

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the Containerfile installs packages from the npm registry, but ${unreachable}.`);

/** The instructions of the file, in order. */
const instructions = readFileSync('templates/Containerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
const MEGABYTE = 1_000_000;
/**
 * What `node:24-alpine` has, compressed: Node.js 24.21 (52.5 MB), npm (3.0) and Yarn (1.2) as their packages on npm have them, and at
 * most 5 MB of Alpine and libstdc++. No registry of images was asked.
 */
const BASE = 62 * MEGABYTE;
const KEY = 'k'.repeat(32);

/** No container can be built everywhere, so its steps run in folders: one for each stage. */
describe.skipIf(unreachable !== undefined)('the steps of the Containerfile', { timeout: 300_000 }, () => {
  let workspace: Workspace;
  let image = '';
  const started: Record<string, string> = {};

  beforeAll(async () => {
    workspace = await Workspace.create();
    const context = workspace.project('context');
    writeFileSync(join(context, 'policy.yaml'), blocksOf('docs/guides/run-as-a-service.md', 'yaml')[0] ?? '');
    const packages = [workspace.tarball, 'redis', '@modelcontextprotocol/server-everything'];
    await run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], context);
    const stages = new Map<string, string>();
    for (const [keyword, given] of instructions) {
      const words = given.split(' ');
      if (keyword === 'FROM') {
        image = workspace.project(`stage-${stages.size}`);
        stages.set(words[2] ?? 'last', image);
      } else if (keyword === 'COPY') {
        const from = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1];
        const sources = from === undefined ? words.slice(0, -1) : ['.'];
        for (const source of sources) {
          cpSync(join(from === undefined ? context : (stages.get(from) ?? ''), source), join(image, source), {
            recursive: true,
            verbatimSymlinks: true,
          });
        }
      } else if (keyword === 'RUN') {
        await run(['sh', '-ec', given], image);
      } else {
        started[keyword] = given;
      }
    }
  });
  afterAll(() => workspace?.remove());

  it('know no other instruction, and run in the folder of the application', () => {
    expect(Object.keys(started).sort()).toEqual(['CMD', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'USER', 'WORKDIR']);
    expect(started.WORKDIR).toBe('/app');
  });

  it('make an image of less than 100 MB, compressed', async () => {
    const archive = join(workspace.folder, 'image.tar.gz');
    await run(['tar', '-czf', archive, '.'], image);
    const own = readFileSync(archive).length;
    const [packages, all] = [own, own + BASE].map((size) => (size / MEGABYTE).toFixed(1));
    console.log(
      `The packages of the image compress to ${packages} MB. With about 62 MB of its base, that is ${all} MB.`,
    );
    expect(own + BASE).toBeLessThan(100 * MEGABYTE);
  });

  const isRoot = process.getuid?.() === 0;
  it(`start an endpoint ${isRoot ? 'as its user, who can write nothing' : '(as this user: only root can choose another)'}`, async () => {
    // The folders of the test are private.
    for (const folder of [workspace.folder, image]) chmodSync(folder, 0o755);
    mkdirSync(join(workspace.folder, 'none'), { mode: 0o555 });
    const [program = '', ...args] = [
      ...JSON.parse(started.ENTRYPOINT ?? ''),
      ...JSON.parse(started.CMD ?? ''),
    ];
    const uid = Number(started.USER);
    args.splice(args.indexOf('--host'), 0, '--port', '0');
    const child = spawn(program, args, {
      cwd: image,
      env: {
        PATH: process.env.PATH,
        HOME: join(workspace.folder, 'none'),
        NODE_ENV: 'production',
        MCP_CONCERNS_ENDPOINT_KEY: KEY,
      },
      ...(isRoot ? { uid, gid: uid } : {}),
    });
    let text = '';
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('to stop.')) break;
    }
    const url = (/ on (http:\S+)/.exec(text)?.[1] ?? errors).replace('0.0.0.0', '127.0.0.1');
    const headers = { authorization: `Bearer ${KEY}`, host: 'mcp.example' };
    const list = await post(url, await begin(url, headers), 'tools/list');
    expect(list.text).toContain('"echo"');
    expect(list.text).not.toContain('"get-sum"');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
