import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANIFEST, managersOf, run, unreachableRegistry, Workspace } from './project.js';

/** The most that an installation of this package may take, in megabytes as `du -sm` counts. */
const MAX_MEGABYTES = 14;

/** The optional peer that each of these subpaths needs. All others work after `npm install mcp-concerns` alone. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['./http', '@modelcontextprotocol/sdk'],
  ['./http/local', '@modelcontextprotocol/sdk'],
  ['./http/v2', '@modelcontextprotocol/server'],
  ['./upstream', '@modelcontextprotocol/sdk'],
  ['./lambda', '@aws-lambda-powertools/logger'],
]);

const SUBPATHS = Object.keys(MANIFEST.exports).filter((path) => path !== './package.json');
const specifier = (subpath: string) => subpath.replace('.', MANIFEST.name);

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the installation needs the npm registry, but ${unreachable}.`);

describe.skipIf(unreachable !== undefined)('the packed package', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await Workspace.create();
  });
  afterAll(() => workspace?.remove());

  it('holds the documentation, the examples and the templates, and nothing of the demo', async () => {
    const files = (await run(['tar', '-tzf', workspace.tarball], workspace.folder)).trim().split('\n');
    const names = files.map((file) => file.replace('package/', ''));
    expect(names).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'serverless.yml',
        'templates/serverless.tasks.yml',
      ]),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'policies/schema.json',
        'dist/cli/THIRD-PARTY-LICENSES.txt',
        'examples/stdio/server.ts',
      ]),
    );
    expect(names.filter((name) => name.startsWith('docs/')).length).toBeGreaterThan(5);
    expect(names.filter((name) => /vault|^(src|test|build)\//.test(name))).toEqual([]);
  });

  it('serves a project of SDK v2 that has no SDK v1, and has types that compile there', async () => {
    const [npm] = managersOf(workspace.folder);
    if (npm === undefined) throw new Error('There is no package manager.');
    const project = workspace.project('sdk-v2');
    const peers = PEERS.filter((name) => !/sdk@|zod/.test(name));
    await run(npm.add([workspace.tarball, ...peers]), project);
    const subpaths = SUBPATHS.filter((subpath) => NEEDED.get(subpath) !== '@modelcontextprotocol/sdk');
    await importAll(project, subpaths);
    const globals = { lib: ['ES2023'], types: ['node'] };
    expect(await typeErrors(project, globals, '@modelcontextprotocol/server', subpaths)).toEqual([]);
  });

  for (const [index, name] of managersOf('')
    .map((manager) => manager.name)
    .entries()) {
    describe(`installed by ${name}`, () => {
      let project: string;
      const add = async (...packages: readonly string[]) => {
        const manager = managersOf(workspace.folder)[index];
        if (manager === undefined) throw new Error(`There is no package manager ${name}.`);
        await run(manager.add(packages), project);
      };
      beforeAll(async () => {
        project = workspace.project(name);
        await add(workspace.tarball);
      });

      it.runIf(name === 'npm')(`takes at most ${MAX_MEGABYTES} MB`, async () => {
        const [size = ''] = (await run(['du', '-sm', 'node_modules'], project)).split('\t');
        console.log(
          `npm install ${MANIFEST.name}: ${size} MB, ${readdirSync(join(project, 'node_modules')).length} folders`,
        );
        expect(Number(size)).toBeLessThanOrEqual(MAX_MEGABYTES);
      });

      it('exports every subpath that needs no optional peer', async () => {
        await importAll(
          project,
          SUBPATHS.filter((subpath) => !NEEDED.has(subpath)),
        );
      });

      it.each([...NEEDED])('names what %s needs: %s', async (subpath, peer) => {
        await expect(importAll(project, [subpath])).rejects.toThrow(`Cannot find package '${peer}'`);
      });

      it('runs its command', async () => {
        const version = await run([join(project, 'node_modules/.bin/mcp-concerns'), '--version'], project);
        expect(version.trim()).toBe(MANIFEST.version);
      });

      it('counts tokens with the bundled encoding', async () => {
        writeFileSync(join(project, 'policy.yaml'), 'version: 1\n');
        const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
        writeFileSync(join(project, 'catalog.json'), JSON.stringify({ tools }));
        const bin = join(project, 'node_modules/.bin/mcp-concerns');
        const output = await run(
          [bin, 'tokens', '--policy', 'policy.yaml', '--catalog', 'catalog.json'],
          project,
        );
        expect(output).toMatch(/o200k_base/);
      });

      it('exports every subpath, and types that compile, next to its peers', async () => {
        await add(...PEERS);
        await importAll(project, SUBPATHS);
        expect(await typeErrors(project, { lib: ['ES2023'], types: ['node'] })).toEqual([]);
        expect(await typeErrors(project, { lib: ['ES2023', 'DOM'], types: [] })).toEqual([]);
      });
    });
  }
});

/** What a project installs that uses every subpath, in the versions that this repository tests. */
const PEERS = [...Object.keys(MANIFEST.peerDependencies), '@types/node', 'typescript', 'zod']
  .map((name) => `${name}@${MANIFEST.devDependencies[name] ?? 'latest'}`)
  .concat('@modelcontextprotocol/sdk@1');

async function importAll(project: string, subpaths: readonly string[]): Promise<void> {
  const lines = subpaths.map(
    (subpath) => `console.log('${subpath}', Object.keys(await import('${specifier(subpath)}')).length > 0);`,
  );
  writeFileSync(join(project, 'import.js'), lines.join('\n'));
  const output = await run([process.execPath, 'import.js'], project);
  expect(output.trim().split('\n')).toEqual(subpaths.map((subpath) => `${subpath} true`));
}

/**
 * Type-checks a program that imports every subpath, and the declarations that it reaches.
 *
 * @param project the folder of the project
 * @param globals where the types of globals such as Request come from
 * @param sdk the module of the SDK that has `McpServer`
 * @param subpaths what is imported
 * @returns the errors in the program and in the declarations of this package; the SDK has errors of its own
 */
async function typeErrors(
  project: string,
  globals: { readonly lib: readonly string[]; readonly types: readonly string[] },
  sdk = '@modelcontextprotocol/sdk/server/mcp.js',
  subpaths: readonly string[] = SUBPATHS,
): Promise<readonly string[]> {
  const imports = subpaths.map((subpath, index) => `export * as part${index} from '${specifier(subpath)}';`);
  const program = `
import { McpServer } from '${sdk}';
import { attachConcerns } from '${MANIFEST.name}';
import { loadPolicy } from '${MANIFEST.name}/policy';
attachConcerns(new McpServer({ name: 'example', version: '1.0.0' }), { policy: loadPolicy('policy.yaml') });
`;
  writeFileSync(join(project, 'check.ts'), `${program}${imports.join('\n')}\n`);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    module: 'NodeNext',
    target: 'ES2023',
    ...globals,
    noEmit: true,
    pretty: false,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['check.ts'] }));
  const tsc = [process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.'];
  const output = await run(tsc, project).catch((error: Error) => error.message);
  const errors = output.split('\n').filter((line) => /error TS/.test(line));
  const [own, others] = [true, false].map((isOwn) =>
    errors.filter(
      (line) => (/^check\.ts|[\\/]mcp-concerns[\\/]/.test(line) || !/^\S+\(/.test(line)) === isOwn,
    ),
  );
  if (others?.length) console.log(`${others.length} type errors in other packages, such as ${others[0]}`);
  return own ?? [];
}
