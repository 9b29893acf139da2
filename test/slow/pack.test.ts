import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = process.cwd();
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const subpaths = Object.keys(manifest.exports).filter((path) => path !== './package.json');
const specifier = (subpath: string) => subpath.replace('.', manifest.name);

/** An empty project with the packed package and its dependencies, but without development dependencies. */
const project = mkdtempSync(join(tmpdir(), 'consumer-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));
beforeAll(() => {
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' });
  const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project]);
  const [{ filename }] = Object.values(JSON.parse(packed)) as [{ filename: string }];
  const home = join(project, 'node_modules', manifest.name);
  mkdirSync(home, { recursive: true });
  run('tar', ['-xzf', join(project, filename), '-C', home, '--strip-components=1']);
  for (const path of run('npm', ['ls', '--omit=dev', '--all', '--parseable']).trim().split('\n')) {
    const name = relative(join(root, 'node_modules'), path);
    // A nested package comes with the package that contains it.
    if (path === root || name.startsWith('..') || name.includes('node_modules')) continue;
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(path, join(project, 'node_modules', name));
  }
  // Users who import a subpath that needs an optional peer dependency have installed it.
  for (const name of Object.keys(manifest.peerDependencies)) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));
});

it('exports at least one name from every subpath', () => {
  const program = subpaths
    .map((subpath) => `console.log(Object.keys(await import('${specifier(subpath)}')).length > 0);`)
    .join('\n');
  writeFileSync(join(project, 'import.js'), program);
  const output = execFileSync(process.execPath, ['import.js'], { cwd: project, encoding: 'utf8' });
  expect(output.trim().split('\n')).toEqual(subpaths.map(() => 'true'));
});

it('type-checks in a strict project', () => {
  const imports = subpaths.map((subpath, index) => `import * as part${index} from '${specifier(subpath)}';`);
  const example = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { attachConcerns, createMemoryStore } from '${manifest.name}';
import { loadPolicy } from '${manifest.name}/policy';
import { createFunction } from '${manifest.name}/lambda';
const policy = loadPolicy('policy.yaml');
const server = () => new McpServer({ name: 'example', version: '1.0.0' });
attachConcerns(server(), { policy, report: ({ shown, total }) => console.log(shown, total) });
export const handler = createFunction({ server, policy, store: createMemoryStore() });
export const parts = [${subpaths.map((_, index) => `part${index}`).join(', ')}];
`;
  writeFileSync(join(project, 'check.ts'), `${imports.join('\n')}\n${example}`);
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        module: 'NodeNext',
        target: 'ES2023',
        lib: ['ES2023', 'DOM'],
        noEmit: true,
        types: [],
        // The declarations of the SDK have errors. Those of this package are checked because `files` imports them.
        skipLibCheck: true,
      },
      files: ['check.ts'],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(() =>
    execFileSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8', stdio: 'pipe' }),
  ).not.toThrow();
});

it('type-checks in a project that also checks the declarations of its packages', () => {
  const imports = subpaths.map((subpath, index) => `export * as part${index} from '${specifier(subpath)}';`);
  writeFileSync(join(project, 'declarations.ts'), `${imports.join('\n')}\n`);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    skipLibCheck: false,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['declarations.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
    encoding: 'utf8',
  });
  const errors = stdout.split('\n').filter((line) => /error TS/.test(line));
  // This peer has errors without the types of AWS Lambda.
  expect(errors.filter((line) => !line.includes('@aws-lambda-powertools'))).toEqual([]);
});

it('needs yaml and the peer dependencies only to read policies', () => {
  // The Lambda function logs with Powertools, so its subpath needs this peer.
  const peers = Object.keys(manifest.peerDependencies).filter((name) => !name.includes('powertools'));
  const without = ['yaml', ...peers];
  for (const name of without) rmSync(join(project, 'node_modules', name));
  const program = `
    await import('${manifest.name}');
    await import('${manifest.name}/policy/compiled');
    await import('${manifest.name}/lambda');
    await import('${manifest.name}/policy').then(() => console.log('imported'), ({ code }) => console.log(code));`;
  writeFileSync(join(project, 'without.js'), program);
  const output = execFileSync(process.execPath, ['without.js'], { cwd: project, encoding: 'utf8' });
  for (const name of without)
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  expect(output.trim()).toBe('ERR_MODULE_NOT_FOUND');
});

it('runs the mcp-concerns command', () => {
  const bin = join(project, 'node_modules', manifest.name, manifest.bin['mcp-concerns']);
  const version = execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' });
  expect(version.trim()).toBe(manifest.version);
});
