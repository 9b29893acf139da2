// Measures how many calls per second 64 clients get through `serve --isolation shared`, with one server and with a file of
// servers, against mcp-proxy in front of the same server. Runs alternate in pairs, so that what else the machine does meets
// both. Prints the median ratio of the pairs, which must be at least 1.0, and what a call takes of the processor in the endpoint
// itself (on Linux), which says more on a busy machine. Build first.
//
//   node bench/serve-rate.mjs [--clients 64] [--pairs 7] [--seconds 4] [--proxy mcp-proxy.mjs] [--profile FOLDER]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    pairs: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    proxy: { type: 'string' },
    profile: { type: 'string' },
  },
});
const PROXY = 'mcp-proxy@6.7.19';
const folder = mkdtempSync(join(tmpdir(), 'serve-rate-'));
const server = [process.execPath, resolve('bench/bridge/server.mjs')];
const TOOLS = JSON.stringify(
  Array.from({ length: 100 }, (_, at) => ({
    name: `tool_${at}`,
    description: 'Reads a file and returns its text. '.repeat(4),
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  })),
);
const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder, TOOLS };
const policy = join(folder, 'policy.yaml');
writeFileSync(
  policy,
  `version: 1
concerns: { effect: { values: [read-only, changes], match: at-most, default: read-only } }
patterns: { tools: { "*tool_1*": { effect: changes } } }
settings: { enforcement: enforce }
`,
);
const file = join(folder, 'servers.json');
writeFileSync(
  file,
  JSON.stringify({ mcpServers: { one: { command: server[0], args: server.slice(1), env: { TOOLS } } } }),
);

function installedProxy() {
  const { status } = spawnSync('npm', ['install', '--silent', '--no-save', '--prefix', folder, PROXY], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${PROXY} could not be installed. Give its path with --proxy.`);
  return join(folder, 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

/** Starts an endpoint. Returns its URL, and what ends it. */
async function start(name, args, url, ready) {
  const profile =
    values.profile === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-name=${name}.cpuprofile`, `--cpu-prof-dir=${values.profile}`];
  const child = spawn(process.execPath, [...profile, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const found = await new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`${name} ended with code ${code}: ${log}`)));
    const read = (text) => {
      log += text;
      if (ready.test(log)) done(url ?? ready.exec(log)?.[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  child.removeAllListeners('exit');
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  };
  return { name, url: found, stop, pid: child.pid };
}

/** Connections for one run. Endpoints close those that are idle meanwhile. */
let agent = new Agent({ keepAlive: true });
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Posts one message. Resolves with the text of the answer and its session. */
function post(url, session, message) {
  const headers = {
    ...HEADERS,
    ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  };
  return new Promise((done, fail) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => done({ text, session: response.headers['mcp-session-id'] ?? session }));
    });
    sent.on('error', fail).end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  });
}

async function connect({ url, name }) {
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const { session, text } = await post(url, undefined, { id: 0, method: 'initialize', params });
  if (session === undefined) throw new Error(`${name} began no session: ${text}`);
  await post(url, session, { method: 'notifications/initialized' });
  return session;
}

/** The time of the processor that a process has taken, in milliseconds: fields 14 and 15 of proc_pid_stat(5), in ticks of 10 ms. */
function cpuOf({ pid }) {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Returns how many calls per second all clients get, one after the other each, and milliseconds of the processor per call. */
async function rate(endpoint, sessions, tool, seconds) {
  let calls = 0;
  const before = cpuOf(endpoint);
  const began = performance.now();
  const until = began + seconds * 1000;
  const run = async (session) => {
    for (let id = 1; performance.now() < until; id++) {
      const params = { name: tool, arguments: { path: 'x' } };
      const { text } = await post(endpoint.url, session, { id, method: 'tools/call', params });
      if (!text.includes('"ran"')) throw new Error(`${endpoint.name} answered ${text}`);
      calls++;
    }
  };
  await Promise.all(sessions.map(run));
  const took = performance.now() - began;
  agent.destroy();
  agent = new Agent({ keepAlive: true });
  return { perSecond: (calls * 1000) / took, cpu: (cpuOf(endpoint) - before) / calls };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const proxy = values.proxy ?? installedProxy();
const port = await freePort();
const serve = [
  'dist/cli/main.js',
  'serve',
  '--port',
  '0',
  '--sessions',
  values.clients,
  '--isolation',
  'shared',
  '--quiet',
  '--policy',
  policy,
];
const WELCOME = /on (http:\S+)[\s\S]*to stop\.\n/;
const endpoints = [];
try {
  const proxied = await start(
    'mcp-proxy',
    [proxy, '--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--', ...server],
    `http://127.0.0.1:${port}/mcp`,
    /starting server/,
  );
  // It says that it starts before it listens.
  while (
    !(await fetch(proxied.url).then(
      () => true,
      () => false,
    ))
  )
    await sleep(50);
  endpoints.push(proxied);
  const own = [
    [await start('serve', [...serve, '--', ...server], undefined, WELCOME), 'tool_0'],
    [await start('serve --servers', [...serve, '--servers', file], undefined, WELCOME), 'one__tool_0'],
  ];
  endpoints.push(...own.map(([endpoint]) => endpoint));
  const connected = new Map();
  for (const endpoint of endpoints)
    connected.set(
      endpoint,
      await Promise.all(Array.from({ length: Number(values.clients) }, () => connect(endpoint))),
    );
  const measure = (endpoint, tool, seconds = Number(values.seconds)) =>
    rate(endpoint, connected.get(endpoint), tool, seconds);
  await measure(proxied, 'tool_0', 2);
  for (const [endpoint, tool] of own) {
    await measure(endpoint, tool, 2);
    const pairs = [];
    for (let pair = 0; pair < Number(values.pairs); pair++)
      pairs.push([await measure(endpoint, tool), await measure(proxied, 'tool_0')]);
    const ratios = pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond);
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    const [ours, theirs] = [0, 1].map((at) => {
      const [perSecond, cpu] = ['perSecond', 'cpu'].map((what) =>
        median(pairs.map((pair) => pair[at][what])),
      );
      return `${perSecond.toFixed(0)} calls/s (${cpu.toFixed(2)} ms of the processor each)`;
    });
    console.log(`${endpoint.name} ${ours}, mcp-proxy ${theirs}: ${median(ratios).toFixed(2)} (${range})`);
  }
} finally {
  agent.destroy();
  for (const endpoint of endpoints) await endpoint.stop();
  rmSync(folder, { recursive: true, force: true });
}
