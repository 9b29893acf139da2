import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import type { TaskWorker } from '../../../src/tasks/durable/worker.js';
import type { ExecutionsOptions } from './executions.js';

type Invoke = ExecutionsOptions['invoke'];

/** What workers read of Lambda's context. */
const CONTEXT = {
  awsRequestId: 'request',
  functionName: 'tasks',
  getRemainingTimeInMillis: () => 60_000,
};

/** Invokes a worker in this process: fast, and cannot be killed. */
export function inProcess(worker: () => TaskWorker): Invoke {
  return (event) => ({
    // Over JSON, as between processes.
    done: worker()(JSON.parse(JSON.stringify(event)), CONTEXT).catch(() => undefined),
    kill() {},
  });
}

/** A program that answers one invocation: the event on stdin, the answer as the last line of stdout. */
export interface WorkerProgram {
  readonly file: string;
  remove(): Promise<void>;
}

/** Bundles a program into a folder of its own in `build`, so that each of its processes starts fast. */
export async function bundleWorker(entry: string): Promise<WorkerProgram> {
  await mkdir('build', { recursive: true });
  const folder = await mkdtemp(join('build', 'tasks-'));
  const file = join(folder, 'worker.mjs');
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    outfile: file,
    logLevel: 'warning',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Invokes a program in a process of its own for each invocation, with a prepared environment. */
export function inProcesses(program: WorkerProgram, environment: () => Record<string, string>): Invoke {
  return (event) => {
    const child = spawn(process.execPath, [program.file], {
      env: { ...process.env, NODE_NO_WARNINGS: '1', ...environment() },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.on('error', () => {
      // The process died before it read its event.
    });
    child.stdin.end(JSON.stringify(event));
    return { done: answerOf(child), kill: () => void child.kill('SIGKILL') };
  };
}

async function answerOf(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<unknown> {
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  if (code !== 0 || !line.startsWith('{')) return undefined;
  return JSON.parse(line);
}
