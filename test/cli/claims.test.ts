import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runIn } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'claims-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string) => writeFileSync(join(folder, name), content);
const cli = (...args: string[]) => runIn(folder, ...args);

file(
  'policy.yaml',
  `version: 1
concerns:
  notes: { values: ["notes:read", "notes:write"], multiple: true, set-by: operator, claim: scope }
  team: { values: [ops, dev], set-by: operator, claim: [app, groups], default: dev }
primitives:
  tools:
    readNote: { notes: "notes:read" }
    writeNote: { notes: "notes:write" }
    purge: { notes: "notes:write", team: ops }
`,
);
file('catalog.json', '{"tools":[{"name":"readNote"},{"name":"writeNote"},{"name":"purge"}]}');
file('reader.json', '{"scope":"openid notes:read","app":{"groups":["ops","x"]}}');
file('guest.json', '{"scp":["openid"],"app":{"groups":["guests"]}}');
const CATALOG = ['--catalog', 'catalog.json'];

describe('check', () => {
  it('names for each tool the scope that shows it to a caller without scopes', async () => {
    const { stdout } = await cli('check', 'policy.yaml', ...CATALOG);
    expect(stdout).toMatch(
      /Scopes that show tools to a caller without scopes:\n +readNote +notes:read\n +writeNote +notes:write\n\n/,
    );
    // The scope alone does not show it.
    expect(stdout).not.toContain('purge');
  });

  it('names the scopes in JSON, too', async () => {
    const { stdout } = await cli(
      'check',
      'policy.yaml',
      ...CATALOG,
      '--claims',
      'reader.json',
      '--format',
      'json',
    );
    expect(JSON.parse(stdout).scopes).toEqual([
      { caller: 'reader.json', tool: 'writeNote', scopes: ['notes:write'] },
    ]);
  });

  it('knows that callers can get the scopes of tools with obtainable', async () => {
    const asking = readFileSync(join(folder, 'policy.yaml'), 'utf8').replace(
      'claim: scope',
      '$&, obtainable: true',
    );
    const policy = (text: string) => file('asking.yaml', `${text}settings: { enforcement: enforce }\n`);
    policy(asking);
    const found = await cli('check', 'asking.yaml', ...CATALOG);
    expect([found.code, found.stdout]).toEqual([
      0,
      expect.stringMatching(/readNote +notes:read[\s\S]*No findings/),
    ]);
    const shown = await cli('list', 'asking.yaml', ...CATALOG);
    expect(shown.stdout).toMatch(
      /\n2 tools shown\n {2}shown, but a call asks the caller for a scope:\n +readNote +notes:read\n +writeNote +notes:write\n/,
    );
    const reader = await cli('list', 'asking.yaml', ...CATALOG, '--claim', 'scope=notes:read');
    expect(reader.stdout).toMatch(
      /\n2 tools shown\n {2}readNote\n {2}shown, but .*\n +writeNote +notes:write\n/,
    );
    policy(asking.replace(', obtainable: true', ''));
    const refused = await cli('list', 'asking.yaml', ...CATALOG);
    expect(refused.stdout).toMatch(/^0 of 3 tools shown: notes hides 3\n/);
    expect(refused.stdout).not.toContain('asks the caller');
  });

  it('reports claims of tokens that give a concern no value, and names the scopes that each token lacks', async () => {
    const tokens = ['--claims', 'reader.json', '--claims', 'guest.json'];
    const { stdout, code } = await cli('check', 'policy.yaml', ...CATALOG, ...tokens);
    expect(stdout).toContain(
      'several-claims  The claim app.groups in reader.json has several values, but team takes one',
    );
    expect(stdout).toContain('unmatched-claim  The claim app.groups in guest.json matches no value of team');
    expect(stdout).toContain(
      'unmatched-claim  The claim scope or scp or scopes in guest.json matches no value of notes',
    );
    expect(stdout).toMatch(/to reader\.json:\n +writeNote +notes:write\n\n/);
    expect(stdout).toMatch(/to guest\.json:\n +readNote +notes:read\n +writeNote +notes:write\n\n/);
    expect(code).toBe(0);
  });
});

describe('the options for claims', () => {
  it('make list say that a claim gives a concern no value, also where the claim is there', async () => {
    const claims = ['--claims', 'reader.json', '--claim', 'scope=notes:write'];
    const { stdout } = await cli('list', 'policy.yaml', ...CATALOG, ...claims);
    expect(stdout).toMatch(/team: no claim of the caller gives it a value\n +purge +ops/);
    expect(stdout).not.toContain('missing');
  });

  it('give scopes to several concerns, and scopes to one concern several times', async () => {
    file(
      'scopes.yaml',
      `version: 1
concerns:
  notes: { values: ["notes:read", "notes:write"], default: "notes:read", multiple: true, set-by: operator, claim: scope }
  mail: { values: ["mail:read", "mail:write"], default: "mail:read", set-by: operator, claim: scp }
primitives:
  tools: { readNote: { notes: "notes:read" }, writeNote: { notes: "notes:write", mail: "mail:write" } }
`,
    );
    const names = async (...args: string[]) =>
      (await cli('list', 'scopes.yaml', ...CATALOG, '--format', 'names', ...args)).stdout
        .split('\n')
        .slice(0, -1);
    const both = ['--concern', 'notes=notes:write', '--concern', 'mail=mail:write'];
    expect(await names(...both)).toEqual(['writeNote', 'purge']);
    expect(await names(...both, '--concern', 'notes=notes:read')).toEqual(['readNote', 'writeNote', 'purge']);
    expect(await names('--claim', 'scope=mail:write', '--concern', 'notes=notes:write')).toEqual([
      'writeNote',
      'purge',
    ]);
  });

  it('set the claim at the path of a concern, as explain writes it', async () => {
    const scopes = ['--claim', 'scope=notes:write'];
    const hidden = await cli('explain', 'purge', '--policy', 'policy.yaml', ...CATALOG, ...scopes);
    expect(hidden.stdout).toContain('The claim app.groups=ops would.');
    const claim = ['--claim', 'app.groups=ops'];
    const shown = await cli('list', 'policy.yaml', ...CATALOG, ...scopes, ...claim, '--format', 'names');
    expect(shown.stdout).toBe('writeNote\npurge\n');
    // Other members of the object stay.
    const kept = ['--claims', 'reader.json', ...scopes, '--claim', 'app.groups=["ops"]', '--format', 'names'];
    expect((await cli('list', 'policy.yaml', ...CATALOG, ...kept)).stdout).toBe('writeNote\npurge\n');
  });

  it('let --claim replace a claim of the file', async () => {
    const { stdout } = await cli(
      'list',
      'policy.yaml',
      ...CATALOG,
      '--claims',
      'reader.json',
      '--claim',
      'scope=notes:write',
      '--claim',
      'app={"groups":"ops"}',
      '--format',
      'names',
    );
    expect(stdout).toBe('writeNote\npurge\n');
  });

  it('explain which scope shows a tool', async () => {
    const { stdout } = await cli(
      'explain',
      'writeNote',
      '--policy',
      'policy.yaml',
      '--claim',
      'scope=openid notes:read',
    );
    expect(stdout).toContain('notes:read is in effect');
    expect(stdout).toContain('The claim scope=notes:write would.');
    const all = await cli(
      'explain',
      'writeNote',
      '--policy',
      'policy.yaml',
      '--claims',
      'reader.json',
      '--claim',
      'scope=notes:write',
    );
    expect(all.stdout).toContain('Tool writeNote is shown');
  });

  it.each<[string, string, string]>([
    ['an encoded token', 'eyJh.eyJz.c2ln', 'token.txt has an encoded token. Write its decoded payload'],
    ['no JSON', 'scope: a', 'token.txt is not JSON. Write the claims'],
    ['a list', '[1]', 'token.txt is not one JSON object. Write the claims of one token'],
  ])('refuse a file with %s', async (_what, text, message) => {
    file('token.txt', text);
    const { code, stderr } = await cli('list', 'policy.yaml', ...CATALOG, '--claims', 'token.txt');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('take tests with the claims of a token, in any form that the policy reads', async () => {
    file(
      'policy.test.yaml',
      `policy: policy.yaml
catalog: catalog.json
tests:
  - { name: writer, claims: { scp: [openid, "notes:write"], app: { groups: ops } }, tools: { only: [writeNote, purge] } }
  - { name: reader, claims: { scope: "openid notes:read" }, tools: { only: [readNote] } }
`,
    );
    const { code, stdout } = await cli('test', 'policy.test.yaml');
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('unread-claim')]);
  });
});
