// Measures tools/list of three servers with 200 tools each through `serve --stdio --servers`, as built, against the slowest of
// them alone, for a host that states a preference and for one that states none. Prints medians, and their ratios, which must be
// at most 1.3: all lists but the first come from memory. Build first.
//
//   node scripts/run.mjs bench/several-lists.ts [rounds]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

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
const command = process.execPath;
const servers = join(folder, 'servers.json');
const one = { command, args: [file] };
writeFileSync(servers, JSON.stringify({ mcpServers: { one, two: one, three: one } }));
const policy = join(folder, 'policy.yaml');
writeFileSync(
  policy,
  `version: 1
concerns: { effect: { values: [read-only, changes], match: at-most, default: changes } }
patterns: { tools: { "*": { effect: read-only } } }
`,
);
const serve = ['dist/cli/main.js', 'serve', '--stdio', '--policy', policy, '--servers', servers];
/** A host that reads answers as lines: checking 600 tools takes a client of the SDK longer than listing them takes a server. */
class Host {
  private readonly child;
  private readonly lines;
  private lastId = 0;

  constructor(args: readonly string[]) {
    const env = { PATH: process.env.PATH, XDG_STATE_HOME: folder };
    this.child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async ask(method: string, params = {}): Promise<string> {
    const id = ++this.lastId;
    this.tell({ id, method, params });
    for (;;) {
      const { value = '' } = await this.lines.next();
      if (value === '' || value.includes(`"id":${id}`)) return value;
    }
  }

  tell(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await once(this.child, 'exit');
  }
}

const stated = [...serve, '--concern', 'effect=read-only'];
const hosts = [[file], [file], [file], serve, stated].map((args) => new Host(args));
const clientInfo = { name: 'bench', version: '1' };
for (const host of hosts) {
  await host.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  host.tell({ method: 'notifications/initialized' });
}
const counts = await Promise.all(
  hosts.map(async (host) => (await host.ask('tools/list')).split('"inputSchema"').length - 1),
);
if (counts.slice(3).some((count) => count !== 601))
  throw new Error(`serve lists ${counts.slice(3)} tools, not 600 and its own.`);
const times = hosts.map((): number[] => []);
for (let round = -20; round < rounds; round++) {
  for (const [at, host] of hosts.entries()) {
    const began = performance.now();
    await host.ask('tools/list');
    // The first rounds warm up.
    if (round >= 0) times[at]?.push(performance.now() - began);
  }
}
const medians = times.map((each) => each.sort((a, b) => a - b)[each.length >> 1] ?? 0);
const slowest = Math.max(...medians.slice(0, 3));
for (const [at, name] of ['states nothing', 'states a preference'].entries()) {
  const together = medians[3 + at] ?? 0;
  const times = `slowest alone ${slowest.toFixed(2)} ms, 3 x 200 tools ${together.toFixed(2)} ms`;
  console.log(`a host that ${name}: ${times}: ${(together / slowest).toFixed(2)}`);
}
for (const host of hosts) await host.close();
rmSync(folder, { recursive: true });
