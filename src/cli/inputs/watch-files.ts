import { EventEmitter, once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConcernsError } from '../../errors.js';
import { interruptible } from '../terminal/interrupt.js';
import type { Terminal } from '../terminal/output.js';

/** Milliseconds to wait after the last change, because editors write a file in several steps. */
const QUIET_MS = 100;

/** Watches files, and calls a function once after several changes that follow each other quickly. */
export class FileWatcher {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly files = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  /** @param changed is called after a change */
  constructor(private readonly changed: () => void) {}

  /**
   * Watches more files. A new `*.yaml` beside them counts as a change, too: it may belong to the policy of its folder.
   *
   * @param files the paths of the files
   */
  follow(files: Iterable<string>): void {
    for (const file of files) {
      const path = resolve(file);
      this.files.add(path);
      const folder = dirname(path);
      if (this.watchers.has(folder)) continue;
      // Watches folders, because an editor that replaces a file would end a watch of that file.
      const watcher = watch(folder, (_event, name) => {
        if (name !== null && !name.endsWith('.yaml') && !this.files.has(join(folder, name))) return;
        clearTimeout(this.timer);
        this.timer = setTimeout(this.changed, QUIET_MS);
      });
      this.watchers.set(folder, watcher);
    }
  }

  /** Ends the watching. */
  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
  }
}

/**
 * Does work now, and again after each change of its files, until a signal ends it.
 *
 * @param work does the work and returns the files that it read. If it throws one of our errors after a change, the message is
 *   printed, and the watching goes on
 * @param terminal where notes are written
 * @returns the exit code, after a signal
 * @throws what the work throws the first time
 * @example
 * await repeatOnChange(async () => checkAndPrint(), terminal);
 */
export function repeatOnChange(
  work: () => Promise<Iterable<string>>,
  { note, stdout }: Pick<Terminal, 'note' | 'stdout'>,
): Promise<number> {
  return interruptible(async (signal) => {
    const changes = new EventEmitter();
    const watcher = new FileWatcher(() => changes.emit('change'));
    // Listened for before the work begins, so that a change meanwhile is not lost.
    const next = () => once(changes, 'change', { signal }).catch(() => undefined);
    try {
      let change = next();
      watcher.follow(await work());
      for (;;) {
        note('Watching for changes. Press Ctrl-C to stop.');
        await change;
        if (signal.aborted) return 0;
        change = next();
        if (stdout.isTTY) stdout.write(CLEAR_SCREEN);
        const read = await work().catch((error: unknown): string[] => {
          // A file that is written at this moment can be missing or incomplete. The next change reads it again.
          if (!(error instanceof ConcernsError)) throw error;
          note(error.message);
          return [];
        });
        watcher.follow(read);
      }
    } finally {
      watcher.close();
    }
  });
}

const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';
