import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/**
 * Makes a folder as a whole: it is written under another name first. A folder that already has the same bytes is not
 * written again.
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
    if (isSame(draft, final)) return;
    rmSync(final, { recursive: true, force: true });
    renameSync(draft, final);
    writeFileSync(`${final}.meta.json`, meta.replaceAll(`${target}.${process.pid}/`, `${target}/`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @returns whether two folders have the same files with the same bytes */
function isSame(one: string, other: string): boolean {
  if (!existsSync(other)) return false;
  const files = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
  const names = files(one);
  return (
    names.join('\n') === files(other).join('\n') &&
    names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))))
  );
}
