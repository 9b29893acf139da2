import { fork } from 'node:child_process';
import { ownFile } from './bundled/own-file.js';
import type { ProbedModule, ProbeResult } from './probe/probe.js';

const WORKER = ownFile('dist/deploy/probe/probe-worker.js');

/** Many times as long as the servers of a function may take. It only ends the wait for a module that never answers. */
const LIMIT_MS = 60_000;

/** The last characters that a process wrote before it ended, and how many of them the message has at most. */
const MAX_OUTPUT = { kept: 8000, told: 400 };

/** @returns what a process wrote that ended: the error that Node.js prints above its stack, or the last characters */
function lastWords(output: string): string {
  const [error] = /^(?:Uncaught )?\w*(?:Error|Exception)\b.*$/m.exec(output) ?? [];
  return (error ?? output.trim().slice(-MAX_OUTPUT.told)).slice(0, MAX_OUTPUT.told);
}

/**
 * Tries the module of a server in a process of its own, before anybody deploys it: whether it makes a new server each time, and
 * whether its servers list behind a gate.
 *
 * @param module the module
 * @param limits how long it may take, in milliseconds
 * @returns what it did
 * @example
 * await probeModule({ path: 'build/lambda/server.mjs', name: 'src/server.ts', sdk: 1 });
 */
export async function probeModule(
  module: ProbedModule,
  { limitMs = LIMIT_MS, worker = WORKER }: { readonly limitMs?: number; readonly worker?: string } = {},
): Promise<ProbeResult> {
  // Its stdin stays open: a server on stdio would end the process with it, and could not be recognized.
  const child = fork(worker, { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT.kept);
  });
  const problem = (text: string): ProbeResult => ({ state: 'failed', problem: `${module.name} ${text}` });
  try {
    return await new Promise<ProbeResult>((resolve) => {
      const limit = setTimeout(
        () => resolve(problem(`did not make and list its servers within ${limitMs / 1000} s.`)),
        limitMs,
      );
      child.once('message', (result: ProbeResult) => resolve(result));
      child.once('error', (cause) => resolve(problem(`could not be tried: ${cause.message}`)));
      child.once('close', (code, signal) => {
        clearTimeout(limit);
        const words = lastWords(output);
        const said = words === '' ? '' : ` It wrote: ${words}`;
        resolve(problem(`ended its process (${signal ?? `exit code ${code}`}).${said}`));
      });
      child.send(module, () => undefined);
    });
  } finally {
    child.kill('SIGKILL');
  }
}
