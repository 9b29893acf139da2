import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type Diagnostic, type Edit, Editor } from './editor.js';

const folder = mkdtempSync(join(tmpdir(), 'lsp-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

interface Item {
  readonly label: string;
  readonly documentation?: string;
  readonly textEdit: Edit;
}
interface Hover {
  readonly contents: { readonly value: string };
}
interface Action {
  readonly title: string;
  readonly edit: { readonly changes: Readonly<Record<string, Edit[]>> };
}
interface Location {
  readonly uri: string;
  readonly range: Edit['range'];
}

const POLICY = `version: 1
concerns:
  security:
    description: How safe a tool is
    values: [{ low: May change things }, high]
presets:
  safe: { security: high }
primitives:
  tools:
    alpha: { security: hihg }
`;
write('policy.yaml', POLICY);
write(
  'policy.catalog.json',
  JSON.stringify({ tools: [{ name: 'alpha', description: 'Says a' }, { name: 'beta' }] }),
);

const found = (diagnostics: Diagnostic[]): string[] =>
  diagnostics.map(
    ({ range: { start }, severity, code }) => `${start.line}:${start.character} ${severity} ${code}`,
  );

it('shows findings while a person types, and completes, explains and fixes', async () => {
  const editor = new Editor(folder, 'policy.yaml');
  expect(await editor.open()).toMatchObject({ hoverProvider: true, definitionProvider: true });

  const [unmapped, first] = await editor.diagnostics();
  expect(first).toMatchObject({
    range: { start: { line: 9, character: 23 }, end: { line: 9, character: 27 } },
    code: 'unknown-value',
    severity: 1,
    message: '"hihg" is not a valid value for security (low, high). Did you mean "high"?',
  });
  // The catalog beside the policy is used.
  expect(unmapped?.message).toContain('The policy does not map the tool "beta"');

  const range = { start: { line: 9, character: 0 }, end: { line: 9, character: 30 } };
  const textDocument = { uri: editor.uri };
  const actions = await editor.request<Action[]>('textDocument/codeAction', {
    textDocument,
    range,
    context: { diagnostics: [] },
  });
  expect(actions.map(({ title }) => title)).toEqual(['Replace with high']);
  expect(actions[0]?.edit.changes[editor.uri]).toEqual([{ range: first?.range, newText: 'high' }]);

  const fixed = POLICY.replace('hihg', 'high');
  editor.change(`${fixed}    `);
  expect(found(await editor.diagnostics())).toContain('8:2 2 unmapped');
  const names = await editor.at<Item[]>('completion', 10, 4);
  expect(names.map(({ label }) => label)).toEqual(['beta']);

  // The YAML is not valid while a flow mapping is open, and the concerns are still known.
  editor.change(`${fixed}    beta: { `);
  expect(found(await editor.diagnostics())).toContain('10:12 1 bad-yaml');
  const concerns = await editor.at<Item[]>('completion', 10, 12);
  expect(concerns).toMatchObject([{ label: 'security', documentation: 'How safe a tool is' }]);
  editor.change(`${fixed}    beta: { security: l`);
  const values = await editor.at<Item[]>('completion', 10, 23);
  expect(values[0]).toMatchObject({
    label: 'low',
    documentation: 'May change things',
    textEdit: { range: { start: { line: 10, character: 22 } }, newText: 'low' },
  });

  const silenced = `${fixed}    beta: { security: low }\nsettings: { unmapped: hide }\n`;
  editor.change(silenced);
  expect((await editor.at<Hover>('hover', 10, 5)).contents.value).toBe(`**beta**

Values: security low.

- no preferences: shown
- preset \`safe\`: hidden (its security is low, but high is in effect)`);
  expect((await editor.at<Hover>('hover', 9, 6)).contents.value).toContain('Says a');
  expect((await editor.at<Hover>('hover', 10, 14)).contents.value).toContain('- `low`: May change things');
  expect((await editor.at<Hover>('hover', 10, 23)).contents.value).toContain('a value of **security**: May');
  expect((await editor.at<Hover>('hover', 11, 14)).contents.value).toContain(
    'primitives that the policy does not map',
  );
  expect(await editor.at<Location>('definition', 10, 14)).toEqual({
    uri: editor.uri,
    range: { start: { line: 2, character: 2 }, end: { line: 2, character: 10 } },
  });
  expect(await editor.close()).toBe(0);
});

it('checks a file of the project as a part of its policy, with the catalog of the project', async () => {
  write('mcp-concerns.config.yaml', 'policy: [concerns.yaml, tools.yaml]\ncatalog: policy.catalog.json\n');
  write('concerns.yaml', 'version: 1\nconcerns: { security: { values: [low, high] } }\n');
  write(
    'tools.yaml',
    'version: 1\nprimitives:\n  tools:\n    alpha: { security: low }\n    gone: { security: high }\n',
  );
  const editor = new Editor(folder, 'tools.yaml');
  await editor.open();
  expect(found(await editor.diagnostics())).toContain('4:4 2 dead-entry');
  const actions = await editor.request<Action[]>('textDocument/codeAction', {
    textDocument: { uri: editor.uri },
    range: { start: { line: 4, character: 4 }, end: { line: 4, character: 4 } },
    context: { diagnostics: [] },
  });
  expect(actions.map(({ title }) => title)).toEqual(['Silence dead-entry with a comment']);
  expect(actions[0]?.edit.changes[editor.uri]?.[0]?.newText).toMatch(
    /^ {4}# mcp-concerns-ignore dead-entry: .*\n$/,
  );
  const { uri } = await editor.at<Location>('definition', 3, 13);
  expect(uri).toBe(pathToFileURL(join(folder, 'concerns.yaml')).href);
  expect(await editor.close()).toBe(0);
});

it('checks test files, and completes names of primitives in them', async () => {
  copyFileSync('policies/vault.yaml', join(folder, 'vault.yaml'));
  copyFileSync('policies/vault.catalog.json', join(folder, 'vault.catalog.json'));
  const text =
    'policy: vault.yaml\ncatalog: vault.catalog.json\ntests:\n  - name: one\n    concerns: sfae\n    tools: { includes: [';
  write('vault.test.yaml', `${text}encryptData] }\n`);
  const editor = new Editor(folder, 'vault.test.yaml');
  await editor.open();
  expect((await editor.diagnostics()).map(({ message }) => message).join()).toContain('Did you mean "safe"?');
  editor.change(text);
  const items = await editor.at<Item[]>('completion', 5, text.split('\n')[5]?.length ?? 0);
  expect(items.map(({ label }) => label)).toContain('encryptData');
  expect(await editor.close()).toBe(0);
});

it('shows failed tests where they say what they expect, and why no test runs', async () => {
  write('asked.yaml', POLICY.replace('hihg', 'high'));
  const text =
    'policy: asked.yaml\ncatalog: policy.catalog.json\ntests:\n  - name: all\n    tools:\n      count: 1\n      excludes: [beta]\n';
  write('asked.test.yaml', text);
  const editor = new Editor(folder, 'asked.test.yaml');
  await editor.open();
  const failed = await editor.diagnostics();
  expect(failed).toMatchObject([
    { severity: 1, message: 'The test fails. tools: 2 shown, 1 expected' },
    {
      range: { start: { line: 4, character: 4 }, end: { line: 4, character: 9 } },
      message: expect.stringMatching(/^The test fails\. tools beta is shown, but hidden was expected: /),
    },
  ]);
  write('asked.yaml', POLICY);
  editor.notify('workspace/didChangeWatchedFiles', { changes: [] });
  expect((await editor.diagnostics()).map(({ message }) => message)).toEqual([
    'The policy has errors, so no test runs. Fix line 10 of asked.yaml first.',
  ]);
  write('asked.yaml', POLICY.replace('hihg', 'high'));
  editor.change(text.replace('count: 1', 'count: 2').replace('excludes', 'includes'));
  expect(await editor.diagnostics()).toEqual([]);
  expect(await editor.close()).toBe(0);
});

it('says which policy and which catalog of a test file cannot be read, beside its other findings', async () => {
  write('no.test.yaml', 'policy: no.yaml\ncatalog: no.json\ntests:\n  - name: one\n    tols: { count: 1 }\n');
  const editor = new Editor(folder, 'no.test.yaml');
  await editor.open();
  const diagnostics = await editor.diagnostics();
  expect(found(diagnostics)).toEqual([
    '3:4 1 missing-key',
    '4:4 1 unknown-key',
    '0:8 1 test-input-unreadable',
    '1:9 1 test-input-unreadable',
  ]);
  expect(diagnostics[2]?.message).toBe(
    'no.yaml cannot be read (it does not exist). Paths are relative to this file.',
  );
  expect(diagnostics[3]?.message).toContain('no.json cannot be read');
  expect(await editor.close()).toBe(0);
});

it('checks again when a file changed that is not open', async () => {
  write('grown.yaml', POLICY.replace('hihg', 'high'));
  write('grown.catalog.json', '{"tools":[{"name":"alpha"}]}');
  const editor = new Editor(folder, 'grown.yaml');
  await editor.open();
  expect(found(await editor.diagnostics())).toEqual(['1:0 2 empty-catalog']);
  write('grown.catalog.json', '{"tools":[{"name":"alpha"},{"name":"gamma"}]}');
  editor.notify('workspace/didChangeWatchedFiles', { changes: [] });
  expect((await editor.diagnostics()).map(({ message }) => message).join()).toContain('the tool "gamma"');
  expect(await editor.close()).toBe(0);
});

it('leaves other YAML files alone', async () => {
  write('compose.yaml', 'version: 1\nservices: {}\n');
  const editor = new Editor(folder, 'compose.yaml');
  await editor.open();
  expect(await editor.diagnostics()).toEqual([]);
  expect(await editor.at('completion', 1, 0)).toEqual([]);
  expect(await editor.close()).toBe(0);
});

it('knows the policies of several servers, and shows findings in the file that has them', async () => {
  const part = (values: string, effect: string): string =>
    `version: 1\nconcerns:\n  effect: { description: What it does, values: [${values}], match: at-most }\nprimitives: { tools: { write: { effect: ${effect} } } }\n`;
  write('files.yaml', part('looks, writes', 'wriets'));
  write('docs.yaml', part('looks, changes', 'looks'));
  const lines = [
    'version: 1',
    'servers:',
    '  files: { policy: files.yaml, concerns: [effect], map: { effect: { writes: changes } } }',
    '  docs: { policy: docs.yaml }',
    'rules: [{ id: no-docs, hide: [tools], when: { ===: [{ var: primitive.server }, docs] } }]',
    '',
  ];
  write('all.yaml', lines.join('\n'));
  const editor = new Editor(folder, 'all.yaml');
  await editor.open();
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  const column = (line: number, word: string): number => (lines[line]?.indexOf(word) ?? 0) + 1;
  const at = <T>(method: string, line: number, word: string) =>
    editor.at<T>(method, line, column(line, word));
  expect(found(await editor.diagnostics())).toEqual([]);
  expect(found(await editor.diagnostics(uriOf('files.yaml')))).toEqual(['3:40 1 unknown-value']);

  expect((await at<Location>('definition', 2, 'files.yaml')).uri).toBe(uriOf('files.yaml'));
  const effect = { uri: uriOf('files.yaml'), range: { start: { line: 2, character: 2 } } };
  expect(await at<Location>('definition', 2, 'effect]')).toMatchObject(effect);
  expect(await at<Location>('definition', 2, 'effect: {')).toMatchObject(effect);
  expect(await at<Location>('definition', 4, 'docs]')).toMatchObject({
    uri: editor.uri,
    range: { start: { line: 3, character: 2 } },
  });
  const hover = async (word: string) => (await at<Hover>('hover', 2, word)).contents.value;
  expect(await hover('files:')).toBe('The names of its tools and prompts begin with `files__`.');
  expect(await hover('policy')).toContain('The policy of this server alone');
  expect(await hover('effect]')).toContain('- `writes`');

  const complete = async (line: number, word: string): Promise<string[]> => {
    const items = await at<Item[]>('completion', line, word);
    return items.map(({ label }) => label);
  };
  expect(await complete(2, 'policy: files')).toContain('policy');
  const policies = await complete(2, 'files.yaml');
  expect([policies, policies]).toEqual([
    expect.arrayContaining(['docs.yaml', 'files.yaml']),
    expect.not.arrayContaining(['all.yaml']),
  ]);
  expect(await complete(2, 'effect]')).toEqual(['effect']);
  expect(await complete(2, 'effect: {')).toEqual(['effect']);
  expect(await complete(2, 'writes')).toEqual(['looks', 'writes']);
  expect(await complete(4, 'docs]')).toEqual(['files', 'docs']);
  expect(await complete(4, 'primitive')).toContain('primitive.server');

  write('files.yaml', part('looks, writes', 'writes'));
  editor.change(lines.join('\n').replace('[effect]', '[efect]'));
  expect(found(await editor.diagnostics())).toContain(`2:${column(2, 'effect]') - 1} 1 unknown-concern`);
  expect(await editor.close()).toBe(0);
});
