import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { getOrMake } from '../../src/core/once.js';
import type { Case } from './cases.js';

/** `wide`: nothing can be hidden. In the others, `secret_b` is. */
export const MODES = ['wide', 'advisory', 'enforce'] as const;
export type Mode = (typeof MODES)[number];
export const FRONTS = ['stdio', 'HTTP'] as const;
export const SERVERS = ['process', 'URL'] as const;

/** How the gate stands between a host and a server. */
export interface SetUp {
  readonly mode: Mode;
  readonly front: (typeof FRONTS)[number];
  readonly server: (typeof SERVERS)[number];
}

const SERVER = 'test/differential/server.mjs';
const MAIN = 'dist/cli/main.js';
const INITIALIZE =
  '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
/** For one exchange on a machine with other work. */
const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'differential-'));
const files = new Map<Mode, string>();
/** Written once: the process of another case may read it at the same time. */
const policyOf = (mode: Mode): string => getOrMake(files, mode, () => writePolicy(mode));

function writePolicy(mode: Mode): string {
  const file = join(folder, `${mode}.yaml`);
  const enforcement = mode === 'enforce' ? 'enforce' : 'advisory';
  const patterns = mode === 'wide' ? '' : 'patterns:\n  tools:\n    "secret_*": { effect: write }\n';
  const concerns = 'concerns:\n  effect: { values: [read, write], match: at-most }\n';
  writeFileSync(file, `version: 1\nsettings: { enforcement: ${enforcement} }\n${concerns}${patterns}`);
  return file;
}

/** Returns the lines with which a server alone answers. */
export const alone = (played: Case): Promise<string[]> => overStdio([SERVER, JSON.stringify(played)], played);

/** Returns the lines with which `serve` answers in front of the same server. */
export async function behindGate(played: Case, { mode, front, server }: SetUp): Promise<string[]> {
  const common = ['--no-project', '--panel', 'off', '--policy', policyOf(mode)];
  const remote = server === 'URL' ? await startServer(played) : undefined;
  try {
    const target =
      remote === undefined ? ['--', process.execPath, SERVER, JSON.stringify(played)] : ['--url', remote.url];
    const chosen = mode === 'wide' ? [] : ['--concern', 'effect=read'];
    if (front === 'stdio')
      return await overStdio([MAIN, 'serve', '--stdio', ...common, ...chosen, ...target], played);
    return await overHttp([MAIN, 'serve', '--port', '0', ...common, ...target], played, mode);
  } finally {
    remote?.child.kill();
  }
}

const env = () => ({ ...process.env, XDG_STATE_HOME: mkdtempSync(join(folder, 'state-')) });

async function startServer(played: Case): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const args = [SERVER, JSON.stringify(played), '--http'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { url: String(url), child };
}

async function overStdio(args: readonly string[], { lines, endsInput }: Case): Promise<string[]> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'], env: env() });
  const late = setTimeout(() => child.kill(), PATIENCE_MS);
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${INITIALIZE}\n`);
  const got: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"id"')) continue;
    got.push(line);
    if (got.length === 1) {
      child.stdin.write([INITIALIZED, ...lines, ''].join('\n'));
      if (endsInput === true) child.stdin.end();
    }
    // What arrives after the last answer is a difference too, but nothing tells that more will come.
    if (got.length === lines.length + 1 && endsInput !== true) child.kill();
  }
  clearTimeout(late);
  return got.slice(1);
}

async function overHttp(args: readonly string[], { lines }: Case, mode: Mode): Promise<string[]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: env() });
  try {
    const [first] = await once(createInterface({ input: child.stdout }), 'line');
    const url = / on (http:\S+)/.exec(String(first))?.[1] ?? '';
    const target = mode === 'wide' ? url : `${url}?concerns=effect:read`;
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const post = (body: string): Promise<Response> =>
      fetch(target, { method: 'POST', body, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const begun = await post(INITIALIZE);
    headers['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? '';
    headers['mcp-protocol-version'] = '2025-11-25';
    await begun.text();
    await post(INITIALIZED);
    const got: string[] = [];
    for (const line of lines) {
      const text = await (await post(line)).text();
      const events = text.match(/^data: ?\{.*$/gm)?.map((each) => each.replace(/^data: ?/, ''));
      got.push(...(events ?? [text]));
    }
    return got;
  } finally {
    child.kill();
  }
}
