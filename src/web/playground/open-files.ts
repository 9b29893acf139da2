import { NotReadable, type PlaygroundDocument, type PolicyText, readCatalog } from './document.js';

/** The longest file that the page reads, in bytes. */
const MAX_BYTES = 20_000_000;

/**
 * Reads files that a person chose: a catalog (`.json`), and the files of a policy, which replace the present ones.
 *
 * @param document the document before
 * @param files the files
 * @returns the document with the new policy and the new catalog
 * @throws {Error} with a sentence for the person, if a file is not one of both
 * @example
 * await openFiles(document, [...input.files]);
 */
export async function openFiles(
  document: PlaygroundDocument,
  files: readonly File[],
): Promise<PlaygroundDocument> {
  let next = document;
  const policy: PolicyText[] = [];
  for (const file of files) {
    if (file.size > MAX_BYTES) throw new NotReadable(`${file.name} is too large.`);
    const text = await file.text();
    if (/\.ya?ml$/.test(file.name)) policy.push({ name: file.name, text });
    else if (file.name.endsWith('.json')) {
      const catalog = readCatalog(parse(file.name, text));
      next = { ...next, catalogFile: file.name, catalog, server: file.name };
    } else throw new NotReadable(`${file.name} is neither a policy (.yaml) nor a catalog (.json).`);
  }
  return policy.length === 0 ? next : { ...next, files: policy, preferences: {}, claims: {} };
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NotReadable(`${name} is not JSON.`, { cause });
  }
}
