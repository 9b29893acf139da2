import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { missingPeers } from '../../src/deploy/missing-peers.js';

const folder = mkdtempSync(join(tmpdir(), 'peers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundle = (
  absWorkingDir: string,
  imported: string,
  needed: readonly string[] = [],
  contents = `import '${imported}';`,
) => {
  const stdin = { contents, resolveDir: absWorkingDir };
  return build({
    stdin,
    absWorkingDir,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    plugins: [missingPeers(needed)],
  });
};

it.each(['@aws-lambda-powertools/logger', '@aws-sdk/client-dynamodb'])(
  'says how to install %s if it is missing',
  async (name) => {
    await expect(bundle(folder, name, [name])).rejects.toMatchObject({
      errors: [
        {
          text: `The function needs the package ${name}, which is not installed. Run "npm install ${name}".`,
          detail: name,
        },
      ],
    });
  },
);

it.each([
  [
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js',
    'WebStandardStreamableHTTPServerTransport',
  ],
  ['@modelcontextprotocol/server', 'createMcpHandler'],
])('takes %s from this package if the project does not have it', async (path, name) => {
  const { outputFiles } = await bundle(
    folder,
    path,
    [],
    `import { ${name} } from '${path}'; export default typeof ${name};`,
  );
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, outputFiles[0]?.text ?? '');
  expect(await import(pathToFileURL(file).href)).toMatchObject({ default: 'function' });
});

it('names the package of a subpath', async () => {
  const path = '@aws-lambda-powertools/parameters/ssm';
  await expect(bundle(folder, path, ['@aws-lambda-powertools/parameters'])).rejects.toMatchObject({
    errors: [{ detail: '@aws-lambda-powertools/parameters' }],
  });
});

it.each(['@aws-lambda-powertools/metrics', '@aws-lambda-powertools/parameters/ssm', '@aws-sdk/client-s3'])(
  'leaves the import of %s, which only some settings need, if it is missing',
  async (name) => {
    const { outputFiles } = await bundle(folder, name);
    expect(outputFiles[0]?.text).toContain(name);
    const installed = await bundle(resolve('.'), name);
    expect(installed.outputFiles[0]?.text).not.toContain(`"${name}"`);
  },
);

it('resolves a peer dependency that is installed', async () => {
  const { outputFiles } = await bundle(resolve('.'), '@aws-lambda-powertools/logger');
  expect(outputFiles).toHaveLength(1);
});

it('keeps the message of esbuild for other packages', async () => {
  await expect(bundle(folder, 'no-such-package')).rejects.toThrow('Could not resolve "no-such-package"');
});
