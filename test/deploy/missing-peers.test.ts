import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { missingPeers } from '../../src/deploy/missing-peers.js';

const folder = mkdtempSync(join(tmpdir(), 'peers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundle = (absWorkingDir: string, imported: string, needed: readonly string[] = []) => {
  const stdin = { contents: `import '${imported}';`, resolveDir: absWorkingDir };
  return build({
    stdin,
    absWorkingDir,
    bundle: true,
    write: false,
    platform: 'node',
    logLevel: 'silent',
    plugins: [missingPeers(needed)],
  });
};

it.each(['@aws-lambda-powertools/logger', '@aws-sdk/client-dynamodb', '@modelcontextprotocol/server'])(
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
