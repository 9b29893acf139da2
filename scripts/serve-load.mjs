/**
 * Loads `mcp-concerns serve` with more clients than it has sessions, and prints what the clients saw:
 * `node scripts/serve-load.mjs [--clients 36,64] [--sessions 32] [--minutes 5] [--restart]`.
 *
 * Half of the clients prefer a shorter list when they connect, or switch to it, and every client lists now and then. With
 * `--restart`, the endpoint is stopped and started again at half of the time. The exit code is 1 if a list showed more than its
 * client had chosen, if a client got an answer without content, a JSON-RPC error, a status that is not in the protocol of
 * `serve`, or 503 without `Retry-After`, if a connection broke (but for those of the restart), or if p99 was more than five times
 * that of as many clients as sessions, which are measured first. Build first.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
/** How clients choose: never, at `initialize`, or by a switch after it. */
const CHOICES = ['nothing', 'initialize', 'nothing', 'switch'];
const MAX_RATIO = 5;

/** Starts the endpoint, and returns its URL. */
async function startEndpoint(port) {
  const child = spawn(
    process.execPath,
    [
      ...['dist/cli/main.js', 'serve', '--port', String(port), '--sessions', values.sessions],
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
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await Promise.race([new Promise((resolve) => child.once('close', resolve)), ended]);
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
    if (status === 200 && text.includes('"error"')) seen.errors++;
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
  let hasChosen = false;
  const concerns = { access: 'none' };
  for (let id = 1; performance.now() < until; id++) {
    let answer;
    if (session === undefined) {
      const clientInfo = { name: 'load', version: '1' };
      hasChosen = choice === 'initialize';
      const capabilities = hasChosen ? { extensions: { [EXTENSION_ID]: { concerns } } } : {};
      const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
      answer = await post(seen, url, undefined, 'initialize', params, id);
      if (answer.status === 200) {
        session = answer.session;
        await post(seen, url, session, 'notifications/initialized', {});
      }
    } else if (choice === 'switch' && !hasChosen) {
      answer = await post(seen, url, session, 'updateConcerns', { concerns }, id);
      hasChosen = answer.status === 200;
    } else if (id % 4 === 0) {
      answer = await post(seen, url, session, 'tools/list', {}, id);
      if (answer.status === 200) seen.lists++;
      if (hasChosen && answer.text.includes('"name":"echo"')) seen.more++;
    } else {
      const args = { n: Math.round(Math.random() * CALL_MS) };
      answer = await post(seen, url, session, 'tools/call', { name: 'wait', arguments: args }, id);
    }
    if (answer.status === 404) session = undefined;
    // A real host waits as long as it is told to; a shorter time is more load.
    await sleep(answer.status === 200 ? Math.random() * THINKING_MS : 500);
  }
}

async function measure(clients) {
  const port = await freePort();
  let endpoint = await startEndpoint(port);
  const logs = [];
  const counts = { empty: 0, errors: 0, withoutRetryAfter: 0, broken: 0, cut: 0, lists: 0, more: 0 };
  const seen = { statuses: {}, times: [], isRestarting: false, ...counts };
  const until = performance.now() + DURATION_MS;
  const running = Array.from({ length: clients }, (_, index) =>
    runClient(seen, endpoint.url, until, CHOICES[index % CHOICES.length]),
  );
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
      `${JSON.stringify(seen.statuses)}, ${seen.empty} empty 200, ${seen.errors} JSON-RPC errors, ` +
      `${seen.withoutRetryAfter} times 503 without Retry-After, ${seen.broken} broken connections` +
      `${values.restart ? ` and ${seen.cut} during the restart` : ''}, ` +
      `${seen.more} of ${seen.lists} lists that show more, ` +
      `${evictions} evictions, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms beside the call itself`,
  );
  const unexpected = Object.keys(seen.statuses).filter((status) => !EXPECTED.has(status));
  const wrong = seen.empty + seen.errors + seen.withoutRetryAfter + seen.broken + seen.more;
  return { isGood: wrong === 0 && unexpected.length === 0, p99: at(0.99) };
}

try {
  const first = await measure(Number(values.sessions));
  if (!first.isGood) process.exitCode = 1;
  for (const clients of values.clients.split(',').map(Number)) {
    const { isGood, p99 } = await measure(clients);
    const ratio = p99 / first.p99;
    console.log(`p99 is ${ratio.toFixed(1)} times that of ${values.sessions} clients`);
    if (!isGood || ratio > MAX_RATIO) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
