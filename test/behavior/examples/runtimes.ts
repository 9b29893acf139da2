import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { createProject, type PageProject } from './pages.js';

export const PAGE = 'docs/guides/runtimes.md';

/** A file that the page shows, below a line that begins with its name. */
export interface ShownFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the files that the page shows, in order. */
export function shownFiles(): ShownFile[] {
  const shown = readFileSync(PAGE, 'utf8').matchAll(/^`([\w./]+)`[^\n]*:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return [...shown].map(([, name = '', text = '']) => ({ name, text }));
}

/**
 * Creates a project with all files of the page and its compiled policy. Call it outside of tests, so that the project is
 * removed after them.
 */
export async function createRecipes(): Promise<PageProject> {
  const project = createProject(PAGE);
  writeFileSync(join(project.folder, 'package.json'), JSON.stringify({ name: 'notes', type: 'module' }));
  for (const { name, text } of shownFiles()) {
    const path = join(project.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  // The page leaves the enforcement out, which is a topic of its own. Here it shows that calls are checked too.
  appendFileSync(join(project.folder, 'policy.yaml'), 'settings: { enforcement: enforce }\n');
  await project.run(/^npx mcp-concerns compile/);
  return project;
}

/** How a client negotiates its era. */
type Mode = 'legacy' | { readonly pin: string };

/**
 * Lists and calls the tools of the page's server with real clients of both eras: without preferences, with a header and
 * with a URL.
 */
export async function expectBothEras(url: string | URL): Promise<void> {
  await expectEras(url, ['legacy', { pin: '2026-07-28' }]);
}

/** Does the same with clients of the given eras. */
export async function expectEras(url: string | URL, modes: readonly Mode[]): Promise<void> {
  for (const mode of modes) {
    const all = await connect(url, mode);
    expect(await namesOf(all)).toEqual(['read_note', 'write_note']);
    expect(await call(all, 'write_note')).toMatchObject({ content: [{ text: 'Wrote a.' }] });
    await all.close();
    const narrowed = new URL(url);
    narrowed.searchParams.set('concerns', 'access:read');
    for (const client of [
      await connect(narrowed, mode),
      await connect(url, mode, { 'Mcp-Concerns': 'access=read' }),
    ]) {
      expect(await namesOf(client)).toEqual(['read_note']);
      expect(await call(client, 'read_note')).toMatchObject({ content: [{ text: 'Read a.' }] });
      // SDK v2 answers with an error, SDK v1 with a result that says so.
      const refused = await call(client, 'write_note').then(JSON.stringify, String);
      expect(refused).toContain('Tool write_note not found');
      await client.close();
    }
  }
}

/** Returns a client that is connected. */
export async function connect(
  url: string | URL,
  mode: Mode,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

export async function namesOf(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name);
}

const call = (client: Client, name: string) => client.callTool({ name, arguments: { name: 'a' } });
