/**
 * Counts the files and functions of `src` that run for one request, by V8 coverage: how many places somebody must know to
 * follow it. Each file is transpiled by itself, so the files are those of `src`. Earlier requests of the same kind warm up.
 *
 * node scripts/trace.mjs [folder of a checkout] [--files]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { build } from 'esbuild';
import { functionsThatRan } from './trace/coverage.mjs';
import { notes } from './trace/server.mjs';

const { values, positionals } = parseArgs({
  options: { files: { type: 'boolean' } },
  allowPositionals: true,
});
const checkout = resolve(positionals[0] ?? '.');
// Beside `dist`, so that files find `package.json` and `node_modules` as the built ones do.
const code = join(checkout, 'dist-trace');
const WARM_UP = 20;

const POLICY = `version: 1
concerns:
  access: { description: Read notes or also change them, values: [read, write] }
primitives:
  tools:
    list_notes: { access: read }
    read_note: { access: read }
    write_note: { access: write }
settings: { enforcement: enforce }
`;
/** @returns the functions that ran since the last call, by file of `src` */
const ofSource = (ran) => {
  const base = `${pathToFileURL(code).href}/`;
  const files = ran.filter(({ url, functions }) => url.startsWith(base) && functions.length > 0);
  return new Map(files.map(({ url, functions }) => [url.slice(base.length).replace(/\.js$/, ''), functions]));
};

/** Repeats a request until everything that is done once is done, and returns what one more runs. */
async function trace(request, take = functionsThatRan) {
  for (let round = 0; round < WARM_UP; round++) await request();
  await settled();
  await take();
  await request();
  await settled();
  return ofSource(await take());
}

/** Waits for what follows an answer, such as the line of a log. */
const settled = () => new Promise((done) => setTimeout(done, 50));

async function transpile() {
  const sources = readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' });
  const entryPoints = sources
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(checkout, 'src', file));
  rmSync(code, { recursive: true, force: true });
  await build({ entryPoints, outdir: code, outbase: join(checkout, 'src'), format: 'esm', target: 'node20' });
}

/** A list, a visible call and a hidden call through `attachConcerns`, and a policy that is read from disk. */
async function inProcess(policyFile) {
  const load = (file) => import(pathToFileURL(join(code, file)).href);
  const [{ attachConcerns }, { createConcerns }, { loadPolicy }] = await Promise.all(
    ['index.js', 'client/index.js', 'policy/index.js'].map(load),
  );
  const server = notes();
  attachConcerns(server, { policy: loadPolicy(policyFile) });
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  await server.connect(serverEnd);
  const client = new Client({ name: 'trace', version: '1.0.0' });
  const concerns = createConcerns(client);
  await client.connect(clientEnd);
  await concerns.set({ access: 'read' });
  const call = (name) => () => client.callTool({ name, arguments: {} });
  const { tools } = await client.listTools();
  if (tools.length !== 2) throw new Error(`The list has ${tools.length} tools. It should have 2.`);
  const rows = {
    'warm tools/list': await trace(() => client.listTools()),
    'visible call': await trace(call('read_note')),
    'hidden call': await trace(() => call('write_note')().then(shouldFail, () => undefined)),
    'small policy from disk': await trace(async () => loadPolicy(policyFile)),
  };
  await client.close();
  return rows;
}

const shouldFail = () => {
  throw new Error('A hidden tool ran.');
};

/** A call through `serve`, which runs in a process of its own. */
async function throughServe(policyFile) {
  const serverFile = fileURLToPath(new URL('trace/server.mjs', import.meta.url));
  const options = [
    '--policy',
    policyFile,
    '--port',
    '0',
    '--panel',
    'off',
    '--',
    process.execPath,
    serverFile,
  ];
  const child = fork(join(code, 'cli/main.js'), ['serve', ...options], {
    execArgv: ['--import', new URL('trace/coverage.mjs', import.meta.url).href],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  try {
    const url = await addressOf(child);
    const client = new Client({ name: 'trace', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const take = async () => {
      child.send('take');
      const [ran] = await once(child, 'message');
      return ran;
    };
    const row = await trace(() => client.callTool({ name: 'read_note', arguments: {} }), take);
    await client.close();
    return { 'call through serve': row };
  } finally {
    child.kill();
  }
}

async function addressOf(child) {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part) => (text += part));
  for (;;) {
    const url = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(text)?.[0];
    if (url !== undefined) return url;
    if (child.exitCode !== null) throw new Error(`serve ended: ${text}`);
    await settled();
  }
}

await transpile();
try {
  const policyFile = join(code, 'policy.yaml');
  writeFileSync(policyFile, POLICY);
  const rows = { ...(await inProcess(policyFile)), ...(await throughServe(policyFile)) };
  for (const [name, files] of Object.entries(rows)) {
    const functions = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    console.log(`${name}: ${files.size} files, ${functions} functions`);
    if (values.files)
      for (const [file, names] of [...files].sort()) console.log(`  ${file} (${names.length})`);
  }
} finally {
  rmSync(code, { recursive: true, force: true });
}
process.exit(process.exitCode);
