import { builtinModules } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { type BuildOptions, build } from 'esbuild';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { openCursor, sealCursor } from '../../src/core/gate/lists/cursor.js';
import { newSessionId, openSessionId } from '../../src/core/gate/request/session-id.js';
import { sha256Of } from '../../src/core/sha256.js';
import { policyFromText } from '../policy-text.js';

/** The subpaths that run where there is nothing of Node.js: in Workers, at the edge, in browsers. */
const PORTABLE = [
  '.',
  './http',
  './http/v2',
  './policy/compiled',
  './engine',
  './analysis',
  './client',
  './tasks',
] as const;

/** Globals that only Node.js has. A bundle in which one of them is free gets this name in its place. */
const GLOBALS = ['Buffer', 'process', 'global', 'setImmediate', 'clearImmediate', '__dirname', '__filename'];
const FOUND = 'OnlyInNode';

const OPTIONS: BuildOptions = {
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  // What calls AWS is loaded by the first call that needs it, on Lambda.
  external: ['node:*', ...builtinModules, '@aws-sdk/*'],
  define: Object.fromEntries(GLOBALS.map((name) => [name, `${FOUND}.${name}`])),
  logLevel: 'silent',
};

/** Bundles code as for a Worker. Returns what it uses of Node.js, each with the file that does. */
async function nodeUses(options: BuildOptions): Promise<string[]> {
  const { outputFiles = [], metafile = { inputs: {} } } = await build({ ...OPTIONS, ...options });
  const modules = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ external, path }) => external && !path.startsWith('@aws-sdk/'))
      .map(({ path }) => `${file}: ${path}`),
  );
  // In front of the code of each file there is a comment with its path.
  const sections = (outputFiles[0]?.text ?? '').split(/^(?=\/\/ \S+$)/m);
  const globals = sections.flatMap((section) => {
    const file = section.slice('// '.length, section.indexOf('\n'));
    return [...section.matchAll(/OnlyInNode\.(\w+)/g)].map(([, name]) => `${file}: ${name}`);
  });
  return [...new Set([...modules, ...globals])];
}

it.each(PORTABLE)('reaches no module and no global of Node.js from the subpath %s', async (subpath) => {
  const entry = manifest.exports[subpath].default.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
  expect(await nodeUses({ entryPoints: [entry] })).toEqual([]);
});

it('finds modules and globals of Node.js, and no others of the same name', async () => {
  const contents = `
    import { createHash } from 'node:crypto';
    import { join } from 'path';
    const { setImmediate } = globalThis.timers;
    export const used = [createHash, join, Buffer.from('a'), setImmediate, { process: 1 }.process];
    export const later = () => process.nextTick(used);`;
  const uses = await nodeUses({ stdin: { contents, sourcefile: 'sample.ts', loader: 'ts' } });
  expect(uses.sort()).toEqual(
    ['Buffer', 'node:crypto', 'path', 'process'].map((name) => `sample.ts: ${name}`),
  );
});

/** What the next test compares with the same functions in another world. */
const OURS = { sha256Of, openCursor, sealCursor, newSessionId, openSessionId };

it('makes the same digests, cursors and session ids where there is nothing of Node.js', async () => {
  const contents = `
    export { sha256Of } from './src/core/sha256.js';
    export { openCursor, sealCursor } from './src/core/gate/lists/cursor.js';
    export { newSessionId, openSessionId } from './src/core/gate/request/session-id.js';`;
  const stdin = { contents, resolveDir: '.', loader: 'ts' as const };
  const bundled = {
    ...OPTIONS,
    stdin,
    define: {},
    metafile: false,
    format: 'iife',
    globalName: 'made',
  } as const;
  const [file] = (await build(bundled)).outputFiles ?? [];
  const world = createContext({ TextEncoder, TextDecoder, crypto, atob, btoa });
  runInContext(file?.text ?? '', world);
  const made: typeof OURS = runInContext('made', world);

  expect(runInContext('typeof process + typeof Buffer', world)).toBe('undefinedundefined');
  for (const text of ['', 'a', 'Ж\ud800', 'x'.repeat(100_000)]) {
    for (const encoding of ['hex', 'base64url'] as const) {
      expect(made.sha256Of(text, encoding)).toBe(sha256Of(text, encoding));
    }
  }
  const target = { catalog: 'tools', policy: 'p', configuration: 'c', filter: '' };
  const cursor = sealCursor(target, 'page-2');
  expect(made.sealCursor(target, 'page-2')).toBe(cursor);
  expect(made.openCursor(cursor, target)).toEqual({ ok: true, cursor: 'page-2' });
  const sealedFor = { policy: policyFromText('version: 1'), secret: 'secret' };
  const record = { concerns: { security: 'high' } };
  const id = made.newSessionId(sealedFor, record);
  expect(openSessionId(sealedFor, id, 1000_000)).toEqual({
    key: id.slice(0, 32),
    sealed: record,
    isOld: false,
  });
  expect(made.openSessionId(sealedFor, newSessionId(sealedFor, record), 1000_000)).toMatchObject({
    sealed: record,
  });
});
