import { spawn } from 'node:child_process';

/** Reads until the other end of its pipe closes, then ends a process group as `ChildTransport` does. */
const SCRIPT = 'read -r line; sleep 1; kill -TERM "-$1"; sleep 1; kill -KILL "-$1"';

/**
 * Ends a process group when this process is gone, also by SIGKILL: many servers ignore the end of their stdin.
 *
 * @param group the id of the process group
 * @returns ends the watchdog; to be called when the group has ended, because its id can be used again
 * @example
 * const release = watchGroup(child.pid);
 */
export function watchGroup(group: number): () => void {
  // In a group of its own, because Ctrl-C in a terminal reaches the whole group of this process.
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Where there is no shell, the server is ended only while this process can do it.
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  watchdog.unref();
  return () => {
    watchdog.kill('SIGKILL');
    watchdog.stdin.destroy();
  };
}
