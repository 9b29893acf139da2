import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listenLocally } from '../../http/local.js';
import { readPolicy } from '../../policy/compile/load.js';
import { read } from '../../wire/messages.js';
import { json, localPage, problem } from '../control/local-page.js';
import { CliError } from '../errors.js';
import { writePolicy } from '../terminal/write-policy.js';
import { type PlaygroundInput, playgroundDocument } from './playground-document.js';

/** The longest policy file that is saved, in bytes. */
const MAX_BODY = 20_000_000;

/**
 * Serves the playground on 127.0.0.1, so that it can save the files of a policy. The page itself contains nothing: with the
 * key it asks for the document, and it may write only the files of the policy.
 *
 * @param html the page
 * @param input the policy and the catalog; the files are read again for each document
 * @returns the address of the page, with the key in its fragment, and a function that stops
 * @throws {ListenError} if no port can be used
 * @example
 * const { url, close } = await servePlayground(html, { paths: ['policy.yaml'] });
 */
export async function servePlayground(html: string, input: PlaygroundInput) {
  const key = randomBytes(32).toString('base64url');
  const folder = dirname(input.paths[0] ?? '.');
  const load = async () => ({
    html: html.replace("default-src 'none'", "default-src 'none'; connect-src 'self'"),
    contentSecurityPolicy: "frame-ancestors 'none'",
  });
  const served = new Set<string>();
  const page = { path: '/playground', key, command: 'open', maxBody: MAX_BODY, load };
  const beside = localPage(page, async ({ route, body }) => {
    if (route === 'GET /document') {
      const document = await playgroundDocument(input);
      for (const { name } of document.files) served.add(name);
      return json({ document, digests: document.files.map(({ text }) => digestOf(text)) });
    }
    if (route !== 'PUT /file') return undefined;
    const [name, text, known] = ['name', 'text', 'digest'].map((each) => read(body, each));
    if (typeof text !== 'string' || typeof name !== 'string' || !served.has(name)) {
      return problem(400, `${JSON.stringify(name)} is not a file of this policy.`);
    }
    return save(input.paths, join(folder, name), text, known);
  });
  const endpoint = await listenLocally(async () => problem(404, 'There is nothing here.'), { beside });
  const { origin } = new URL(endpoint.url);
  return { url: `${origin}/playground#token=${key}`, close: () => endpoint.close() };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Writes a file whose text is still the one that the page knows. */
function save(policy: readonly string[], path: string, text: string, known: unknown): Response {
  try {
    const before = readFileSync(path, 'utf8');
    if (digestOf(before) !== known) {
      const message = `${path} has changed since this page read it, so it was not saved. Copy your text, reload the page, and edit again.`;
      return problem(409, message);
    }
    // The editor knows one kind of line break.
    const written = before.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text;
    writePolicy([{ before: readPolicy(policy).texts, changed: new Map([[path, written]]) }]);
    return json({ digest: digestOf(written) });
  } catch (cause) {
    const reason = cause instanceof CliError ? cause.message : `${path} cannot be read any more.`;
    return problem(422, `${reason} It was not saved.`);
  }
}
