import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Makes a folder as a whole: it is written under another name first.
 *
 * @param root the folder of the project
 * @param target the folder to make, relative to `root`. The metafile of esbuild is written to `<target>.meta.json`.
 * @param make writes the files into the folder that it receives, and returns the metafile
 */
export async function replaceFolder(
  root: string,
  target: string,
  make: (draft: string) => Promise<string>,
): Promise<void> {
  const final = resolve(root, target);
  const draft = `${final}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    const meta = await make(draft);
    rmSync(final, { recursive: true, force: true });
    renameSync(draft, final);
    writeFileSync(`${final}.meta.json`, meta.replaceAll(`${target}.${process.pid}/`, `${target}/`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
