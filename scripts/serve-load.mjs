/**
 * Loads `mcp-concerns serve` with more clients than it has sessions, and prints what the clients saw:
 * `node scripts/serve-load.mjs [--clients 36,64] [--sessions 32] [--minutes 5] [--restart]`.
 *
 * Half of the clients prefer a shorter list when they connect, or switch to it and back, and every client lists now and then. With
 * `--restart`, the endpoint is stopped and started again at half of the time. The exit code is 1 if a list was not what its
 * client had chosen last, if a client got an answer without content, a JSON-RPC error, a status that is not in the protocol of
 * `serve`, or 503 without `Retry-After`, if a connection broke (but for those of the restart), or if p99 was more than five times
 * that of as many clients as sessions, which are measured first. Build first.
 *
 * With `--processes 2`, so many processes share sessions in a Redis that this script starts (`redis-server` or `valkey-server` must
 * be installed), behind a proxy that gives each request to the next of them. Every `--kill-every` seconds (20), one is killed,
 * by SIGKILL and SIGTERM in turn, and started again. The exit code is also 1 if a session was lost. Connections that a kill breaks
 * are counted and allowed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '36,64' },
    sessions: { type: 'string', default: '32' },
    minutes: { type: 'string', default: '5' },
    restart: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
    'kill-every': { type: 'string', default: '20' },
  },
});
const DURATION_MS = Number(values.minutes) * 60_000;
/** Milliseconds that a call takes, and that a client thinks, at most. */
const [CALL_MS, THINKING_MS] = [200, 100];
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const EXPECTED = new Set(['200', '202', '404', '503']);

const folder = mkdtempSync(join(tmpdir(), 'serve-load-'));
process.env.XDG_STATE_HOME = folder;
process.env.XDG_RUNTIME_DIR = folder;
writeFileSync(
  join(folder, 'policy.yaml'),
  `version: 1
concerns: { access: { values: [none, all], match: at-most } }
primitives: { tools: { echo: { access: all } } }
`,
);
const EXTENSION_ID = 'io.github.mcp-concerns/concerns';
/** How clients choose: never, at `initialize`, or by switches after it. */
const CHOICES = ['nothing', 'initialize', 'nothing', 'switch'];
const MAX_RATIO = 5;

/** Starts the endpoint, and returns its URL. */
async function startEndpoint(port, options = []) {
  const child = spawn(
    process.execPath,
    [
      ...['dist/cli/main.js', 'serve', '--port', String(port), '--sessions', values.sessions, ...options],
      ...['--policy', join(folder, 'policy.yaml'), '--', process.execPath],
      ...['test/upstream/fixtures/faulty-child.mjs', 'none', join(folder, 'starts')],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The endpoint ended with code ${code}: ${log}`)));
    let welcome = '';
    child.stdout.on('data', (text) => {
      welcome += text;
      const found = /on (http:\S+)[\s\S]*to stop\.\n/.exec(welcome)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const stop = async (signal = 'SIGTERM') => {
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    return await ended;
  };
  return { url, stop, log: () => log };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Sends one message, and notes what came back. Returns the session and the status; 0 if the connection broke. */
async function post(seen, url, session, method, params, id) {
  const before = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...HEADERS, ...(session === undefined ? {} : { 'mcp-session-id': session }) },
      body: JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params }),
    });
    const text = await response.text();
    const { status } = response;
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    if (status === 200 && !text.includes(`"id":${JSON.stringify(id)}`)) seen.empty++;
    // On a machine under load the store may not answer in time. Then the client is told that nothing changed.
    const isRefused = method === 'updateConcerns' && text.includes('so nothing changed');
    if (status === 200 && isRefused) seen.refused++;
    else if (status === 200 && text.includes('"error"')) {
      seen.errors++;
      console.error(`${method}: ${text}`);
    }
    if (status === 503 && response.headers.get('retry-after') === null) seen.withoutRetryAfter++;
    if (status === 200 && method === 'tools/call')
      seen.times.push(performance.now() - before - params.arguments.n);
    return { status, text, session: response.headers.get('mcp-session-id') ?? session };
  } catch {
    if (seen.isRestarting) seen.cut++;
    else seen.broken++;
    return { status: 0, text: '', session };
  }
}

/** A host that calls a tool again and again, and does what the status of each answer asks for. */
async function runClient(seen, url, until, choice) {
  let session;
  // What it chose last; `undefined` if it does not know whether its latest switch took effect.
  let chosen;
  for (let id = 1; performance.now() < until; id++) {
    let answer;
    if (session === undefined) {
      const clientInfo = { name: 'load', version: '1' };
      const concerns = choice === 'initialize' ? { access: 'none' } : {};
      const capabilities = { extensions: { [EXTENSION_ID]: { concerns } } };
      const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
      answer = await post(seen, url, undefined, 'initialize', params, id);
      if (answer.status === 200) {
        session = answer.session;
        chosen = choice === 'initialize' ? 'none' : 'all';
        await post(seen, url, session, 'notifications/initialized', {});
      }
    } else if (choice === 'switch' && (id % 5 === 2 || chosen === undefined)) {
      const access = chosen === 'none' ? 'all' : 'none';
      answer = await post(seen, url, session, 'updateConcerns', { concerns: { access } }, id);
      if (answer.text.includes('"error"'))
        chosen = answer.text.includes('so nothing changed') ? chosen : undefined;
      else chosen = answer.status === 200 ? access : undefined;
      if (chosen === access) seen.switches++;
    } else if (id % 4 === 0) {
      answer = await post(seen, url, session, 'tools/list', {}, id);
      if (answer.status === 200) seen.lists++;
      const isShown = answer.text.includes('"name":"echo"');
      // It says itself that the store did not answer in time, so that it may be that of an earlier choice.
      if (answer.text.includes('store-unavailable')) {
        seen.unsure++;
        if (chosen === (isShown ? 'none' : 'all')) seen.outdated++;
        continue;
      }
      if (answer.status === 200 && chosen === 'none' && isShown) seen.more++;
      if (answer.status === 200 && chosen === 'all' && !isShown) seen.less++;
    } else {
      const args = { n: Math.round(Math.random() * CALL_MS) };
      answer = await post(seen, url, session, 'tools/call', { name: 'wait', arguments: args }, id);
    }
    if (answer.status === 404) session = undefined;
    // A real host waits as long as it is told to; a shorter time is more load.
    await sleep(answer.status === 200 ? Math.random() * THINKING_MS : 500);
  }
}

const newCounts = () => {
  const broken = {
    empty: 0,
    errors: 0,
    refused: 0,
    unsure: 0,
    outdated: 0,
    withoutRetryAfter: 0,
    broken: 0,
    cut: 0,
  };
  return { statuses: {}, times: [], isRestarting: false, ...broken, lists: 0, switches: 0, more: 0, less: 0 };
};

const startClients = (seen, url, clients, until) =>
  Array.from({ length: clients }, (_, index) => runClient(seen, url, until, CHOICES[index % CHOICES.length]));

const describe = (seen) =>
  `${JSON.stringify(seen.statuses)}, ${seen.empty} empty 200, ${seen.errors} JSON-RPC errors, ` +
  `${seen.withoutRetryAfter} times 503 without Retry-After, ` +
  `${seen.more} of ${seen.lists} lists that show more, ${seen.less} that show less, ${seen.switches} switches, ${seen.refused} refused without a change, ` +
  `${seen.unsure} lists that warn of the store, ${seen.outdated} of them outdated`;

function isRight(seen) {
  const unexpected = Object.keys(seen.statuses).filter((status) => !EXPECTED.has(status));
  const wrong = seen.empty + seen.errors + seen.withoutRetryAfter + seen.broken + seen.more + seen.less;
  return wrong === 0 && unexpected.length === 0;
}

async function measure(clients) {
  const port = await freePort();
  let endpoint = await startEndpoint(port);
  const logs = [];
  const seen = newCounts();
  const until = performance.now() + DURATION_MS;
  const running = startClients(seen, endpoint.url, clients, until);
  if (values.restart) {
    await sleep(DURATION_MS / 2);
    seen.isRestarting = true;
    await endpoint.stop();
    logs.push(endpoint.log());
    endpoint = await startEndpoint(port);
    seen.isRestarting = false;
  }
  await Promise.all(running);
  await endpoint.stop();
  logs.push(endpoint.log());
  const times = seen.times.sort((a, b) => a - b);
  const at = (part) => Math.round(times[Math.floor(times.length * part)] ?? Number.NaN);
  const evictions = logs.join('').match(/^A session ended to make room/gm)?.length ?? 0;
  console.log(
    `${clients} clients, ${values.sessions} sessions, ${values.minutes} minutes${values.restart ? ', one restart' : ''}: ` +
      `${describe(seen)}, ${seen.broken} broken connections` +
      `${values.restart ? ` and ${seen.cut} during the restart` : ''}, ` +
      `${evictions} evictions, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms beside the call itself`,
  );
  return { isGood: isRight(seen), p99: at(0.99) };
}

/** Starts a Redis that keeps nothing on disk, and returns its URL. */
async function startRedis() {
  const program = ['redis-server', 'valkey-server'].find(
    (each) => spawnSync(each, ['--version']).status === 0,
  );
  if (program === undefined)
    throw new Error('Install redis-server or valkey-server: several processes share sessions in it.');
  const port = await freePort();
  const child = spawn(program, [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    folder,
  ]);
  await new Promise((resolve) => {
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve());
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

/** Gives each request to the next process. One that was not delivered goes to the one after it; others end as they end. */
async function startProxy(ports) {
  let turn = 0;
  const pass = (incoming, outgoing, body, first, tries = 0) => {
    const port = ports[(first + tries) % ports.length];
    const { method, url: path, headers } = incoming;
    const passed = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    passed.on('error', (cause) => {
      if (cause.code !== 'ECONNREFUSED' || tries + 1 === ports.length) return outgoing.destroy();
      pass(incoming, outgoing, body, first, tries + 1);
    });
    passed.end(body);
  };
  const server = createHttpServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    pass(incoming, outgoing, body, turn++);
  });
  const port = await freePort();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${port}/mcp`, port, stop: () => server.close().closeAllConnections() };
}

/** Kills one of several processes now and then, and says what the clients saw. */
async function measureSeveral(clients) {
  process.env.MCP_CONCERNS_SESSION_SECRET = 'only-for-this-measurement';
  const redis = await startRedis();
  const ports = await Promise.all(Array.from({ length: Number(values.processes) }, freePort));
  const options = ['--host', '0.0.0.0', '--allow-host', '127.0.0.1', '--open', '--isolation', 'shared'];
  const start = (port) => startEndpoint(port, [...options, '--sessions-store', redis.url]);
  const processes = await Promise.all(ports.map(start));
  const proxy = await startProxy(ports);
  const seen = newCounts();
  const until = performance.now() + DURATION_MS;
  const running = startClients(seen, proxy.url, clients, until);
  const exits = [];
  const everyMs = Number(values['kill-every']) * 1000;
  for (let kills = 0; performance.now() + everyMs < until; kills++) {
    await sleep(everyMs);
    const index = kills % ports.length;
    // Each process is killed in both ways.
    const signal = Math.floor(kills / ports.length) % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    seen.isRestarting = true;
    const code = await processes[index].stop(signal);
    exits.push(`${signal} ${code}`);
    if (signal === 'SIGTERM' && code !== 0) seen.broken++;
    processes[index] = await start(ports[index]);
    seen.isRestarting = false;
  }
  await Promise.all(running);
  proxy.stop();
  await Promise.all(processes.map(({ stop }) => stop()));
  redis.stop();
  const lost = seen.statuses[404] ?? 0;
  console.log(
    `${clients} clients, ${ports.length} processes, ${values.minutes} minutes, ${exits.length} kills (${exits.join(', ')}): ` +
      `${describe(seen)}, ${seen.broken} broken connections and ${seen.cut} by kills, ${lost} lost sessions`,
  );
  return isRight(seen) && lost === 0;
}

const all = values.clients.split(',').map(Number);
try {
  if (values.processes !== '1') {
    for (const clients of all) if (!(await measureSeveral(clients))) process.exitCode = 1;
  } else {
    const first = await measure(Number(values.sessions));
    if (!first.isGood) process.exitCode = 1;
    for (const clients of all) {
      const { isGood, p99 } = await measure(clients);
      const ratio = p99 / first.p99;
      console.log(`p99 is ${ratio.toFixed(1)} times that of ${values.sessions} clients`);
      if (!isGood || ratio > MAX_RATIO) process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
