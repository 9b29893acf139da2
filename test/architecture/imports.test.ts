import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { readImports, sourceFiles } from '../../scripts/generate/imports.js';

/** The files in `src/core` that every folder may import. */
const EVERYWHERE = ['errors', 'base64', 'sha256', 'once', 'exact-json'];

/** The rooms of `src`, each with the rooms that it may import. `index.ts` is beside them. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  proxy: ['core'],
  tasks: ['core'],
  web: ['core'],
  client: ['core'],
  deploy: ['core'],
  cli: ['core', 'proxy', 'tasks', 'web', 'deploy'],
  'index.ts': ['core'],
};

/** The folders in the rooms, each with the folders, or the parts of them, that it may import. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  analysis: ['engine'],
  policy: ['engine', 'analysis', 'wire/definition'],
  session: [],
  tasks: [
    'session/dynamodb-client',
    'session/dynamodb-expressions',
    'session/lazy-client',
    'session/table-calls',
    'session/task-owner',
    'wire',
  ],
  wire: ['engine'],
  gate: ['engine', 'analysis', 'session', 'wire'],
  telemetry: ['engine', 'gate/request', 'gate/table', 'wire'],
  http: ['engine', 'session', 'wire', 'gate', 'telemetry', 'policy/compile/compiled'],
  proxy: [
    'engine/policy',
    'engine/servers',
    'session/before-abort',
    'session/store',
    'wire',
    'gate',
    'telemetry',
    'http',
  ],
  lambda: ['engine', 'session', 'wire', 'gate', 'telemetry', 'http', 'policy/compile/compiled'],
  page: ['gate/panel/panel-document', 'wire'],
  playground: ['engine', 'policy', 'gate/panel', 'page'],
  client: ['engine/match', 'wire'],
  deploy: [
    'engine',
    'policy/compile/parse',
    'wire',
    'http',
    'lambda/settings',
    'lambda/remote-policy/policy-url',
  ],
  cli: [
    'engine',
    'analysis',
    'policy',
    'session',
    'wire',
    'gate',
    'telemetry',
    'http',
    'proxy',
    'deploy',
    'tasks',
    'playground/document',
  ],
  'index.ts': ['engine', 'session', 'wire', 'gate', 'policy/compile/compiled'],
};

/** Subfolders in their order: each imports only those to its left. Files beside them come last, except those of FIRST. */
const SUBFOLDERS: Readonly<Record<string, readonly string[]>> = {
  policy: ['language', 'check', 'compile', 'testing', 'diff', 'propose'],
  tasks: ['author', 'records', 'execution', 'dynamodb', 'durable', 'port', 'wire', 'attach'],
  gate: ['table', 'request', 'enforce', 'lists', 'concerns', 'panel', 'tasks', 'edge'],
  cli: [
    'terminal',
    'project',
    'options',
    'inputs',
    'completion',
    'lsp',
    'control',
    'serving',
    'reports',
    'pages',
    'proposals',
    'setup',
    'commands',
  ],
};

/** Files beside the subfolders that every subfolder may import. */
const FIRST: readonly string[] = ['src/cli/errors.ts', 'src/cli/version.ts'];

/** Packages that only one place may load, because they are heavy or because they are an effect. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  yaml: [
    'src/core/policy/language/read-yaml.ts',
    'src/core/policy/language/path-at.ts',
    'src/core/policy/language/format-yaml.ts',
    'src/core/policy/compile/lock.ts',
    'src/cli/commands/lambda/init.ts',
    'src/deploy/combine-templates.ts',
  ],
  // Validators are generated: compiling a schema takes longer than everything else at startup.
  ajv: [],
  '@aws-lambda-powertools/logger': ['src/core/lambda/log.ts'],
  '@aws-sdk/client-dynamodb': ['src/core/session/dynamodb-client.ts', 'src/tasks/dynamodb/client.ts'],
  '@aws-sdk/client-lambda': ['src/tasks/durable/lambda-client.ts'],
  '@aws/durable-execution-sdk-js': ['src/tasks/durable/worker.ts'],
  '@aws-lambda-powertools/metrics': ['src/core/lambda/emf.ts'],
  '@aws-lambda-powertools/parameters': [
    'src/core/lambda/remote-policy/read-text.ts',
    'src/deploy/templates/secrets.ts',
  ],
  '@aws-sdk/client-s3': ['src/core/lambda/remote-policy/read-text.ts'],
  '@hono/node-server': ['src/core/http/local.ts', 'src/cli/control/control.ts'],
  esbuild: ['src/deploy/build-code.ts'],
  'prom-client': ['src/cli/serving/service/counters.ts'],
  '@opentelemetry/api': ['src/core/telemetry/span-writer.ts'],
  redis: ['src/core/session/redis-client.ts'],
  jose: ['src/cli/serving/service/verify-tokens.ts'],
  inflection: ['src/core/policy/propose/words/words.ts'],
  'gpt-tokenizer': ['src/cli/inputs/token-counter.ts'],
};

const files = sourceFiles();
const imports = readImports();
const own = imports.flatMap(({ file, target, loads }) =>
  target === undefined ? [] : [{ file, target, loads }],
);
/** The path from the folder on, without the room where it has several: `gate/edge/gather`. */
const strip = (file: string): string => file.replace(/^src\/(?:(?:core|web)\/)?/, '').replace(/\.tsx?$/, '');
const roomOf = (file: string): string => file.split('/')[1] ?? '';
const folderOf = (file: string): string =>
  file === 'src/index.ts' ? 'index.ts' : (strip(file).split('/')[0] ?? '');

it('finds the imports of all files', () => {
  expect(files.length).toBeGreaterThan(200);
  expect(own.length).toBeGreaterThan(800);
});

it('imports only rooms that the table allows', () => {
  const rooms = new Set(files.map(roomOf));
  expect([...rooms].sort()).toEqual(Object.keys(ROOMS).sort());
  const wrong = own.filter(({ file, target }) => {
    const [from, to] = [roomOf(file), roomOf(target)];
    return from !== to && !ROOMS[from]?.includes(to);
  });
  expect(wrong).toEqual([]);
});

it('imports only folders that the table allows', () => {
  const wrong = own.filter(({ file, target }) => {
    const from = folderOf(file);
    const allowed = [from, ...EVERYWHERE, ...(FOLDERS[from] ?? [])];
    return !allowed.some((each) => strip(target) === each || strip(target).startsWith(`${each}/`));
  });
  expect(wrong).toEqual([]);
});

it('lists every folder in the table', () => {
  const folders = new Set(files.map(folderOf));
  for (const file of EVERYWHERE) folders.delete(file);
  expect([...folders].sort()).toEqual(Object.keys(FOLDERS).sort());
});

it.each(Object.entries(SUBFOLDERS))('imports only subfolders to the left in %s', (folder, order) => {
  const rank = (file: string): number => {
    const [, subfolder = '', rest] = strip(file).split('/');
    if (rest === undefined) return FIRST.includes(file) ? -1 : order.length;
    const found = order.indexOf(subfolder);
    expect(found, `${file}: the test does not know the subfolder`).not.toBe(-1);
    return found;
  };
  const inside = own.filter(({ file, target }) => folderOf(file) === folder && folderOf(target) === folder);
  expect(inside.length).toBeGreaterThan(20);
  expect(inside.filter(({ file, target }) => rank(file) < rank(target))).toEqual([]);
});

it('keeps engine, analysis, wire and gate free of effects, but for the key that a process is given', () => {
  const pure = /^src\/core\/(engine|analysis|wire|gate)\//;
  const effects = ['fs', 'http', 'net', 'child_process', 'process', 'os', 'path', 'worker_threads'];
  const wrong = imports.filter(({ file, specifier }) => {
    const name = specifier.replace('node:', '');
    return (
      pure.test(file) &&
      builtinModules.includes(name) &&
      effects.some((each) => name === each || name.startsWith(`${each}/`))
    );
  });
  expect(wrong).toEqual([]);
  const environment = files.filter(
    (file) => pure.test(file) && /process\??\.env/.test(readFileSync(file, 'utf8')),
  );
  expect(environment).toEqual(['src/core/gate/whole-list-key.ts']);
});

it('needs no built-in module of Node.js to parse a policy, so that browsers can', () => {
  const loading = imports.filter(({ loads }) => loads);
  const reached = new Set(['src/core/policy/parse.ts', 'src/web/playground/main.tsx']);
  for (const file of reached) {
    for (const { file: from, target } of loading)
      if (from === file && target !== undefined) reached.add(target);
  }
  expect(reached.size).toBeGreaterThan(40);
  const wrong = loading.filter(
    ({ file, specifier }) => reached.has(file) && builtinModules.includes(specifier.replace('node:', '')),
  );
  expect(wrong).toEqual([]);
});

it('loads heavy packages in one place each', () => {
  const wrong = imports.filter(({ file, specifier, loads }) => {
    if (!loads) return false;
    const name = Object.keys(ONLY_IN).find((each) => specifier === each || specifier.startsWith(`${each}/`));
    return name !== undefined && !ONLY_IN[name]?.includes(file);
  });
  expect(wrong).toEqual([]);
});

it('imports itself by its name only in the modules that functions start with', () => {
  const named = imports.filter(({ specifier }) => /^mcp-concerns(?:\/|$)/.test(specifier));
  const folders = new Set(named.map(({ file }) => dirname(file)));
  expect([...folders]).toEqual(['src/deploy/templates']);
  // A function has these modules, and the values that are filled in. Nothing else of the room is in it.
  const code = own.filter(({ file, loads }) => loads && file.startsWith('src/deploy/templates/'));
  expect(code.filter(({ target }) => !target.startsWith('src/deploy/templates/'))).toEqual([]);
});

it('has no import cycle', () => {
  const graph = new Map<string, string[]>();
  for (const { file, target } of own) graph.set(file, [...(graph.get(file) ?? []), target]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  expect(files.map((file) => visit(file, [])).filter((cycle) => cycle !== undefined)).toEqual([]);
});

it('has at most 20 files in each folder', () => {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});

it('lets only the edge of the gate know requests that can wait and send', () => {
  const knowing = files.filter((file) => /^import [^;]*\bExchange\b/m.test(readFileSync(file, 'utf8')));
  expect(knowing.filter((file) => !file.startsWith('src/core/gate/edge/'))).toEqual([]);
  expect(knowing.length).toBeLessThanOrEqual(10);
});

it('suspends and resumes requests in one file', () => {
  const suspending = files.filter(
    (file) =>
      file.startsWith('src/core/gate/') && /\.(?:suspend|resume)\(\)/.test(readFileSync(file, 'utf8')),
  );
  expect(suspending).toEqual(['src/core/gate/edge/gather.ts']);
});

it('imports SDK v1 into the core in one file, so that all other declarations compile in a project of SDK v2', () => {
  const files = imports.flatMap(({ file, specifier }) =>
    file.startsWith('src/core/') && specifier.startsWith('@modelcontextprotocol/sdk/') ? [file] : [],
  );
  expect([...new Set(files)]).toEqual(['src/core/http/sdk-v1.ts']);
});

it('lets one file write policies', () => {
  const writers = own.filter(({ target }) => target.endsWith('cli/terminal/write-files.ts'));
  // The others write tests, hosts' files, and a policy that only proves a plan.
  expect([...new Set(writers.map(({ file }) => file))].sort()).toEqual([
    'src/cli/commands/test.ts',
    'src/cli/setup/change-file.ts',
    'src/cli/setup/journal.ts',
    'src/cli/setup/plan.ts',
    'src/cli/terminal/write-output.ts',
    'src/cli/terminal/write-policy.ts',
  ]);
});
