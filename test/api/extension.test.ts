import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(path, 'utf8');

it('the extension for VS Code has at most 150 lines, and imports nothing of this package', () => {
  const text = read('editors/vscode/src/extension.ts');
  expect(text.split('\n').length).toBeLessThanOrEqual(150);
  const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name);
  expect(imports).toEqual(['vscode', 'vscode-languageclient/node']);
});

it('the extension for VS Code starts a command that this package has, and is no dependency of it', () => {
  const { contributes } = JSON.parse(read('editors/vscode/package.json'));
  const command = contributes.configuration.properties['mcp-concerns.command'].default;
  expect(command).toEqual(['npx', '--no-install', 'mcp-concerns', 'lsp']);
  const { bin, files, dependencies, devDependencies } = JSON.parse(read('package.json'));
  expect(Object.keys(bin)).toContain(command[2]);
  expect(Object.keys({ ...dependencies, ...devDependencies })).not.toContain('vscode-languageclient');
  expect(files).not.toContain('editors');
});

it('the extension for VS Code packs only its own files, not the package of an earlier build', () => {
  const { main, files } = JSON.parse(read('editors/vscode/package.json'));
  expect(files).toEqual([main.replace('./', ''), 'README.md', 'LICENSE']);
});

it('no lock file names a registry', () => {
  for (const path of ['package-lock.json', 'editors/vscode/package-lock.json']) {
    expect(read(path)).not.toContain('"resolved": "http');
  }
});
