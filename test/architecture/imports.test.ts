import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/** Which folders of `src` each folder may import from; `index.ts` is the surface that every user loads. */
const ARROWS: Record<string, readonly string[]> = {
  engine: [],
  analysis: ['engine'],
  session: ['engine/lru-map'],
  policy: ['engine', 'analysis'],
  protocol: ['engine', 'session/store'],
  client: ['protocol/messages/wire', 'engine/match/nearest'],
  http: ['protocol', 'session', 'policy/compile/compiled', 'engine/policy', 'engine/mapping'],
  upstream: ['http', 'protocol'],
  lambda: ['http', 'protocol', 'session', 'policy/compile/compiled', 'engine/policy', 'engine/mapping'],
  deploy: [],
  cli: ['http', 'upstream', 'protocol', 'session', 'policy', 'analysis', 'engine', 'lambda'],
  'errors.ts': [],
  'index.ts': ['errors', 'engine', 'policy/compile/compiled', 'protocol', 'session/store', 'session/memory'],
};

/** Packages that only one place may load, because they are heavy or because they are an effect. */
const ONLY_IN: Record<string, readonly string[]> = {
  yaml: ['src/policy/language/read-yaml.ts', 'src/policy/language/format-yaml.ts'],
  // Validators are generated: compiling a schema takes longer than everything else at a start.
  ajv: [],
  '@aws-lambda-powertools/logger': ['src/lambda/log.ts'],
  '@aws-sdk/client-dynamodb': ['src/session/dynamodb-client.ts'],
  '@hono/node-server': ['src/http/local.ts'],
  esbuild: ['src/deploy/bundle.ts'],
  'gpt-tokenizer': ['src/cli/inputs/token-counter.ts'],
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(?<type>type\s)?[^;]*?from\s*'(?<target>[^']+)'/gm),
    ...text.matchAll(/^(?<type>)import\s*'(?<target>[^']+)'/gm),
    ...text.matchAll(/(?<type>)\bimport\(\s*'(?<target>[^']+)'/g),
  ];
  return found.map(({ groups }) => ({
    file,
    target: groups?.target ?? '',
    /** Types are gone when the code runs. */
    loads: !groups?.type,
  }));
});

it('finds the imports', () => {
  expect(files.length).toBeGreaterThan(30);
  expect(imports.length).toBeGreaterThan(100);
});

it('keeps the arrows between folders one-way', () => {
  const wrong = imports.flatMap(({ file, target }) => {
    if (!target.startsWith('.')) return [];
    const from = file.split('/')[1] ?? '';
    const to = normalize(join(dirname(file), target))
      .replaceAll('\\', '/')
      .replace('src/', '')
      .replace(/\.js$/, '');
    const allowed = [from, ...(ARROWS[from] ?? [])];
    return allowed.some((each) => to === each || to.startsWith(`${each}/`)) ? [] : [`${file} imports ${to}`];
  });
  expect(wrong).toEqual([]);
});

it('keeps engine and protocol free of effects', () => {
  const effects = ['fs', 'http', 'net', 'child_process', 'process', 'os', 'path', 'worker_threads'];
  const wrong = imports.filter(
    ({ file, target }) =>
      /^src\/(engine|protocol)\//.test(file) &&
      builtinModules.includes(target.replace('node:', '')) &&
      effects.some(
        (name) => target === `node:${name}` || target === name || target.startsWith(`node:${name}/`),
      ),
  );
  expect(wrong).toEqual([]);
  const environment = files.filter(
    (file) => /^src\/(engine|protocol)\//.test(file) && /process\.env/.test(readFileSync(file, 'utf8')),
  );
  expect(environment).toEqual([]);
});

it('loads heavy packages in one place each', () => {
  const wrong = imports.filter(({ file, target, loads }) => {
    if (!loads) return false;
    const name = Object.keys(ONLY_IN).find((each) => target === each || target.startsWith(`${each}/`));
    return name !== undefined && !ONLY_IN[name]?.includes(file);
  });
  expect(wrong).toEqual([]);
});

it('has no cycle', () => {
  const graph = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (!target.startsWith('.')) continue;
    const to = normalize(join(dirname(file), target))
      .replaceAll('\\', '/')
      .replace(/\.js$/, '.ts');
    graph.set(file, [...(graph.get(file) ?? []), to]);
  }
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
