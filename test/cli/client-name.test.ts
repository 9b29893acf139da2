import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runIn } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'client-name-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string) => writeFileSync(join(folder, name), content);
const INPUT = ['--catalog', 'catalog.json'];
const cli = (...args: string[]) => runIn(folder, ...args);
const named = async (...args: string[]) =>
  (await cli('list', 'policy.yaml', ...INPUT, '--format', 'names', ...args)).stdout;

file(
  'policy.yaml',
  `version: 1
concerns:
  size: { values: [all, few], match: at-least }
presets: { few: { size: few } }
defaults-for: [{ when: { client.name: "cursor*", client.version: "1.*" }, preset: few }]
primitives: { tools: { big: { size: all }, small: { size: few }, old: {} } }
rules:
  - id: too-old
    hide: [tools]
    when: { and: [{ "===": [{ var: client.version }, "0.9"] }, { "===": [{ var: primitive.name }, old] }] }
`,
);
file('catalog.json', '{"tools":[{"name":"big"},{"name":"small"},{"name":"old"}]}');
file(
  'policy.test.yaml',
  `policy: policy.yaml
catalog: catalog.json
tests:
  - { name: by default, client: { name: cursor, version: "1.7" }, tools: { only: [small, old] } }
  - { name: another preference, concerns: { size: all }, client: { name: cursor, version: "1.7" }, tools: { count: 3 } }
  - { name: another client, client: { name: code, version: "1.7" }, tools: { count: 3 } }
  - { name: an old client, client: { name: code, version: "0.9" }, tools: { excludes: [old] } }
  - { name: a client without a name, client: { version: "1.7" }, tools: { excludes: [old] } }
`,
);

describe('--client', () => {
  it('is the name of the client, or all that it says about itself', async () => {
    expect(await named('--client', 'code')).toBe('big\nsmall\nold\n');
    expect(await named('--client', '{"name":"code","version":"0.9"}')).toBe('big\nsmall\n');
    expect(await named('--client', '{"name":"cursor-x","version":"1.7"}')).toBe('small\nold\n');
    expect(await named()).toBe('big\nsmall\n');
  });

  it('lets explain say which default applies, and that a rule hides from a client without a name', async () => {
    const json = '{"name":"cursor","version":"1.7"}';
    const byDefault = await cli('explain', 'big', '--policy', 'policy.yaml', ...INPUT, '--client', json);
    expect(byDefault.stdout).toMatch(/at least few +default of this client, preset few \(policy\.yaml:4\)/);
    const { stdout } = await cli('explain', 'old', '--policy', 'policy.yaml', ...INPUT);
    expect(stdout).toMatch(/is hidden: rule too-old hides it/);
    expect(stdout).toMatch(
      /client\.version is "0\.9" \(client\.name is missing, so this counts as what hides most\) +true/,
    );
  });
});

it('a test can name the client', async () => {
  const { stdout } = await cli('test', 'policy.test.yaml');
  expect(stdout).toBe('5 tests passed\n');
});
