import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

/**
 * Makes a command that soon ends faster: half of the time that one took under Node 20 went into optimizing code that ran
 * for another moment. From Node 22 on what was compiled once is kept, and code is optimized later anyway.
 *
 * @example
 * quickStart(); // before anything big is imported
 */
export function quickStart(): void {
  // Newer versions of V8 do not know the flag, and say so on stderr.
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');
  // Types are those of Node 20, where it does not exist.
  else (module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
}
