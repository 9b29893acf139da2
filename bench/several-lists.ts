// Measures tools/list of three servers with 200 tools each behind one connection, against the slowest of them alone. Prints
// medians, and their ratio, which must be at most 1.3.
//
//   node scripts/run.mjs bench/several-lists.ts [rounds]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { bridge } from '../src/upstream/isolation.js';
import { bridgeSeveral } from '../src/upstream/several/bridge-several.js';
import { ChildTransport } from '../src/upstream/wires/child-process.js';

const rounds = Number(process.argv[2] ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'several-lists-'));
const file = join(folder, 'server.mjs');
// With the SDK, as most servers are: it converts every schema again for each list.
writeFileSync(
  file,
  `import { McpServer } from '${import.meta.resolve('@modelcontextprotocol/sdk/server/mcp.js')}';
import { StdioServerTransport } from '${import.meta.resolve('@modelcontextprotocol/sdk/server/stdio.js')}';
import { z } from '${import.meta.resolve('zod')}';
const server = new McpServer({ name: 'many', version: '1' });
const description = 'Reads a file and returns its text, from the first line to the last one. '.repeat(4);
for (let index = 0; index < 200; index++) {
  const inputSchema = { path: z.string().describe('The path of the file'), limit: z.number().optional() };
  server.registerTool('tool_' + index, { description, inputSchema }, () => ({ content: [] }));
}
await server.connect(new StdioServerTransport());`,
);
const open = () => new ChildTransport(process.execPath, [file]);
const slugs = ['one', 'two', 'three'];
const all = [
  ...slugs.map((slug) => bridge(open, 'per-session', { name: slug, isLongLived: true, isOfOnePerson: true })),
  bridgeSeveral(new Map(slugs.map((slug) => [slug, open])), 'per-session', {
    isLongLived: true,
    isOfOnePerson: true,
  }),
];
const clients: Client[] = [];
for (const bridged of all) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await bridged.connection().connect(theirs);
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(ours);
  clients.push(client);
}
const times = all.map((): number[] => []);
for (let round = -20; round < rounds; round++) {
  for (const [at, client] of clients.entries()) {
    const began = performance.now();
    await client.listTools();
    // The first rounds warm up.
    if (round >= 0) times[at]?.push(performance.now() - began);
  }
}
const medians = times.map((each) => each.sort((a, b) => a - b)[each.length >> 1] ?? 0);
const [together = 0, slowest] = [medians.at(-1), Math.max(...medians.slice(0, -1))];
const text = (ms: number) => `${ms.toFixed(2)} ms`;
console.log(
  `slowest alone ${text(slowest)}, 3 x 200 tools ${text(together)}: ${(together / slowest).toFixed(2)}`,
);
for (const client of clients) await client.close();
for (const bridged of all) await bridged.close();
rmSync(folder, { recursive: true });
