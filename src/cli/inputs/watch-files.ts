import { EventEmitter, once } from 'node:events';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConcernsError } from '../../core/errors.js';
import { read } from '../../core/wire/messages.js';
import { interruptible } from '../terminal/interrupt.js';
import type { Terminal } from '../terminal/output.js';

/** Milliseconds between looks. */
const EVERY_MS = 500;

/**
 * Watches files by what is at their paths, and calls a function after a change. It looks again and again: a path that leads
 * through a link gets another file without any event in its folder. Kubernetes, git-sync and release folders do that, and
 * file systems over a network have no events at all.
 */
export class FileWatcher {
  private readonly seen = new Map<string, string>();
  private readonly timer: NodeJS.Timeout;

  /**
   * @param changed is called after a change
   * @param everyMs milliseconds between looks
   */
  constructor(
    private readonly changed: () => void,
    everyMs: number = EVERY_MS,
  ) {
    this.timer = setInterval(() => this.look(), everyMs);
  }

  /**
   * Watches these files too, and YAML files beside them: a folder of policies can get another one.
   *
   * @param files the paths of the files
   */
  follow(files: Iterable<string>): void {
    for (const file of files) {
      const path = resolve(file);
      // What changed since it was read must still be noticed.
      if (!this.seen.has(path)) this.seen.set(path, stampOf([path]));
    }
  }

  /** Looks now, and not only when the next look is due. */
  look(): void {
    let isChanged = false;
    for (const [path, before] of this.seen) {
      const now = stampOf([path]);
      isChanged ||= now !== before;
      this.seen.set(path, now);
    }
    if (isChanged) this.changed();
  }

  /** Ends the watching. */
  close(): void {
    clearInterval(this.timer);
  }
}

/** Returns a text that changes if a file is written, replaced or reached by another link, or one is added beside it. */
export function stampOf(files: Iterable<string>): string {
  const paths = [...files];
  const folders = [...new Set(paths.map((file) => dirname(file)))];
  return JSON.stringify([paths.map(fileAt), folders.map(yamlIn)]);
}

/** Returns where the links of a path lead; its own text if they lead nowhere. */
export function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What is at a path is not known if a link leads in a circle, or a folder may not be read. */
function fileAt(path: string): readonly unknown[] {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs];
  } catch (cause) {
    return [read(cause, 'code')];
  }
}

function yamlIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  } catch {
    return [];
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
