import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import jszip from 'jszip';

/**
 * Unpacks a zip, as Lambda does.
 *
 * @param file the path of the zip
 * @param folder the folder that gets its files
 */
export async function unzip(file: string, folder: string): Promise<void> {
  const { files } = await jszip.loadAsync(readFileSync(file));
  for (const entry of Object.values(files)) {
    if (entry.dir) continue;
    const target = join(folder, entry.name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, await entry.async('nodebuffer'));
  }
}
