// Measures the time from the start of a process to its first tools/list: of servers alone and of `serve`, which waits for
// them, or answers from what they listed at their last start. Prints medians in milliseconds, and at the end the ratio that must
// be at most 0.5: of the first list from memory, to that of a server that starts as npx starts it. The rows with npx need the
// package in its cache, and are left out without it: npx -y @modelcontextprotocol/server-everything. Build first.
//
//   node bench/first-list.mjs [rounds]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const rounds = Number(process.argv[2] ?? 7);
const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const folder = mkdtempSync(join(tmpdir(), 'first-list-'));
const policy = join(folder, 'policy.yaml');
writeFileSync(policy, 'version: 1\nconcerns: { effect: { values: [read-only, changes], match: at-most } }\n');
const args = [everything, 'stdio'];
// What npx costs before it starts a server: 1 s here.
const late = [
  '-e',
  `setTimeout(() => { process.argv.splice(1, 0, ${JSON.stringify(everything)}); import(${JSON.stringify(everything)}); }, 1000)`,
  'stdio',
];
const file = join(folder, 'servers.json');
const server = { command: process.execPath, args };
writeFileSync(file, JSON.stringify({ mcpServers: { one: server, two: server, three: server } }));

async function time([command, ...given]) {
  const client = new Client({ name: 'bench', version: '1' });
  const env = { PATH: process.env.PATH, XDG_STATE_HOME: folder };
  const began = performance.now();
  // In a folder without packages, so that npx looks into its cache.
  await client.connect(
    new StdioClientTransport({ command, args: given, env, cwd: folder, stderr: 'ignore' }),
  );
  await client.listTools();
  const took = performance.now() - began;
  // The next start finds what this one listed.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  await client.close();
  return took;
}

const serve = [process.execPath, resolve('dist/cli/main.js'), 'serve', '--stdio', '--policy', policy];
const [atOnce, afterSecond] = [args, late].map((each) => [process.execPath, ...each]);
const rows = {
  'server alone': atOnce,
  'serve --wait': [...serve, '--wait', '--', ...atOnce],
  serve: [...serve, '--', ...atOnce],
  'server that starts after 1 s, alone': afterSecond,
  'the same, serve --wait': [...serve, '--wait', '--', ...afterSecond],
  'the same, serve': [...serve, '--', ...afterSecond],
  'three servers, serve --wait': [...serve, '--wait', '--servers', file],
  'three servers, serve': [...serve, '--servers', file],
};
const npx = ['npx', '-y', '--offline', '@modelcontextprotocol/server-everything'];
const isCached =
  spawnSync('npx', ['-y', '--offline', '-p', npx[3], 'node', '-e', '0'], { cwd: folder }).status === 0;
if (isCached) {
  rows['npx -y, alone'] = npx;
  rows['npx -y, serve'] = [...serve, '--', ...npx];
} else console.log('npx -y: left out, because the package is not in the cache of npx');
const medians = {};
for (const [name, given] of Object.entries(rows)) {
  // The first run keeps the catalog, and loads files into memory.
  await time(given);
  const times = [];
  for (let round = 0; round < rounds; round++) times.push(await time(given));
  medians[name] = times.sort((a, b) => a - b)[rounds >> 1];
  console.log(`${name}: ${medians[name].toFixed(0)} ms`);
}
const ratio = (name, alone) => (medians[name] / medians[alone]).toFixed(2);
const ofLate = ratio('the same, serve', 'server that starts after 1 s, alone');
console.log(
  `the first list of serve / of the server alone: ${ofLate}; of one that starts at once: ${ratio('serve', 'server alone')}`,
);
if (isCached) console.log(`of npx -y: ${ratio('npx -y, serve', 'npx -y, alone')}`);
rmSync(folder, { recursive: true });
