import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a set-up has started. */
export class Programs {
  private readonly closing: (() => Promise<unknown>)[] = [];

  /** Starts a program of Node.js. Returns what it prints when it is ready, as the first group of a pattern. */
  start(args: readonly string[], ready: RegExp, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } });
    this.closeLater(() => ended(child));
    let [out, err] = ['', ''];
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    return new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        out += chunk;
        const found = ready.exec(out)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${err}`)));
    });
  }

  closeLater(close: () => Promise<unknown>): void {
    this.closing.unshift(close);
  }

  /** Ends everything, what was started last first. */
  async close(): Promise<void> {
    for (const each of this.closing.splice(0)) await each();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await exit;
}
