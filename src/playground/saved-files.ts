import { type PlaygroundDocument, type PolicyText, readDocument } from './document.js';

/** The files of the policy on the disk of the person. */
export interface SavedFiles {
  readonly document: PlaygroundDocument;
  /** Writes a file, unless something else changed it since it was read or written. Rejects with a sentence for the person. */
  save(file: PolicyText): Promise<void>;
}

/**
 * Reads the document from the process that served the page.
 *
 * @param key the key of the process
 * @returns the document, and how its files are saved
 * @throws {Error} with a sentence for the person, if the process does not answer
 */
export async function readSavedFiles(key: string): Promise<SavedFiles> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`/playground/${path}`, { ...init, headers }).catch(() => {
      throw new Error(
        'The command "mcp-concerns open" has ended, so nothing was saved. Copy your text, and run it again.',
      );
    });
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(answer.error ?? response.statusText);
    return answer;
  };
  const { document: data, digests = [] } = await call('document');
  const document = readDocument(data);
  const known = new Map(document.files.map(({ name }, at) => [name, digests[at]]));
  return {
    document,
    async save({ name, text }) {
      const body = JSON.stringify({ name, text, digest: known.get(name) });
      const { digest } = await call('file', { method: 'PUT', body });
      known.set(name, digest);
    },
  };
}

interface Answer {
  readonly error?: string;
  readonly document?: unknown;
  readonly digests?: readonly string[];
  readonly digest?: string;
}
