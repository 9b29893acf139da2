import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MAIN } from './run.js';

const home = mkdtempSync(join(tmpdir(), 'My tools_'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const FILES = ['endpoint.yml', 'serverless.observe.cjs', 'serverless.observe.yml', 'serverless.yml'];

let folder: string;
let count = 0;

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(MAIN), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
};
function enter(name: string): void {
  folder = join(home, String(++count), name);
  mkdirSync(folder, { recursive: true });
  write('policy.yaml', 'version: 1\n');
  write('server.mjs', `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n`);
}

describe('init --lambda', () => {
  const POLICY = ['init', '--lambda', '--policy', 'policy.yaml'];
  beforeAll(() => enter('My tools_2'));

  it('writes both files, with a service that is named after the folder', () => {
    const { code, stderr } = run(...POLICY, '--module', 'server.mjs');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        'Wrote endpoint.yml, serverless.yml, serverless.observe.cjs, serverless.observe.yml for the service My-tools-2.',
      ),
    ]);
    expect(parse(read('endpoint.yml'))).toEqual({ policy: 'policy.yaml', server: { module: 'server.mjs' } });
    expect(parse(read('serverless.yml'))).toMatchObject({ service: 'My-tools-2' });
    expect(stderr).toContain('npm install @aws-lambda-powertools/logger @aws-sdk/client-dynamodb');
    expect(stderr).toContain(
      'An outage wakes nobody until you deploy with --param="metrics=NAMESPACE" and --param="alarmTopic=ARN".',
    );
    expect(stderr).toMatch(/^.*Anyone who knows the URL may call this endpoint\..*--variant jwt.*$/m);
  });

  it('overwrites nothing without --force', () => {
    write('endpoint.yml', 'mine');
    const { code, stderr } = run(...POLICY, '--url', 'https://mcp.example/mcp');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^mcp-concerns: endpoint\.yml and serverless\.yml and .* already exist\. Pass --force/,
      ),
    ]);
    expect(read('endpoint.yml')).toBe('mine');
    expect(run(...POLICY, '--url', 'https://mcp.example/mcp', '--force').code).toBe(0);
    expect(parse(read('endpoint.yml')).server).toEqual({ url: 'https://mcp.example/mcp' });
  });

  it.each([
    ['http', 'httpApi', FILES],
    ['jwt', 'authorizer', [...FILES, 'serverless.cors.cjs'].sort()],
    ['rest', 'transferMode: STREAM', FILES],
    ['function-url', 'invokeMode: RESPONSE_STREAM', FILES],
  ])('writes the variant %s', (variant, text, files) => {
    enter('variant');
    const args = ['--package', '@scope/server', '--variant', variant, '--service', 'tools', '--quiet'];
    expect(run(...POLICY, ...args)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(read('serverless.yml')).toContain(text);
    expect(readdirSync(folder).filter((file) => /serverless|endpoint/.test(file))).toEqual(files);
    expect(parse(read('endpoint.yml')).server).toEqual({ package: '@scope/server' });
  });

  it('quotes a service whose name YAML would read as another type', () => {
    enter('service');
    run(...POLICY, '--module', 'server.mjs', '--service', 'null');
    expect(parse(read('serverless.yml')).service).toBe('null');
  });

  it('writes the variant tasks for a server of your own only', () => {
    enter('variant');
    const { code, stderr } = run(...POLICY, '--package', 'x', '--variant', 'tasks');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--variant tasks needs --module')]);
    expect(run(...POLICY, '--module', 'server.mjs', '--variant', 'tasks').stderr).toContain(
      '@aws-sdk/client-lambda @aws/durable-execution-sdk-js',
    );
    expect(parse(read('serverless.yml')).functions.tasks.handler).toBe('build/worker/index.handler');
  });

  it.each([
    ['jwt,tasks', 'authorizer: { name: tokens }'],
    ['rest,tasks', 'transferMode: STREAM'],
    ['function-url,tasks', 'invokeMode: RESPONSE_STREAM'],
  ])('combines the variants %s', (variant, text) => {
    enter('combined');
    expect(run(...POLICY, '--module', 'server.mjs', '--variant', variant, '--quiet').code).toBe(0);
    const written = read('serverless.yml');
    expect(written).toContain(text);
    const { functions, provider, resources, package: packaged } = parse(written);
    expect(functions.tasks.handler).toBe('build/worker/index.handler');
    // Nobody reaches the function past the checks of the variant.
    expect(JSON.stringify(functions.mcp.events ?? [])).not.toContain('"POST /mcp"');
    expect(provider.iam.role.statements).toHaveLength(5);
    expect(packaged).toEqual({
      excludeDevDependencies: false,
      individually: true,
      patterns: ['!**', 'build/lambda/**'],
    });
    expect(resources).toHaveLength(2);
    expect(Object.keys(resources[0].Resources)).toEqual(
      expect.arrayContaining(['SessionsTable', 'TasksTable', 'TasksRole']),
    );
  });

  it.each(['jwt,rest', 'tasks,other', ''])('refuses the variant "%s"', (variant) => {
    enter('refused');
    const { code, stderr } = run(...POLICY, '--module', 'server.mjs', '--variant', variant);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are http, rest, jwt')]);
  });

  it('says in one step what to do about tasks without a worker', () => {
    enter('exported');
    write(
      'tasks.mjs',
      'export const tasks = [];\nexport const createServer = () => { throw new Error("no database"); };\n',
    );
    const args = ['--module', 'tasks.mjs', '--variant'];
    const { stderr } = run(...POLICY, ...args, 'jwt');
    expect(stderr).toContain(
      'tasks.mjs exports tasks. Run this again with "--variant jwt,tasks --force", or',
    );
    expect(run(...POLICY, ...args, 'jwt,tasks', '--force').stderr).not.toContain('Run this again');
    expect(parse(read('serverless.yml')).functions.tasks).toBeDefined();
  });

  it.each([
    [['--module', 'v2.mjs'], 'Hosts of 2026-07-28 and of 2025-11-25 are served.\n'],
    [['--module', 'v1.mjs'], 'are served. A server that speaks 2025-11-25 cannot ask 2026-07-28 hosts'],
    [['--package', 'x'], 'are served. A server that speaks 2025-11-25 cannot ask 2026-07-28 hosts'],
  ])('says which hosts are served: %j', (server, text) => {
    enter('eras');
    write('v1.mjs', 'export const createServer = () => { throw new Error("no database"); };\n');
    write('v2.mjs', `import { McpServer } from "@modelcontextprotocol/server";\n`);
    expect(run(...POLICY, ...server, '--force').stderr).toContain(text);
  });

  it('sets the version of the SDK that the module imports', () => {
    write('v2.mjs', `import { McpServer } from "@modelcontextprotocol/server";\n`);
    run(...POLICY, '--module', 'v2.mjs', '--force');
    expect(parse(read('endpoint.yml')).server).toEqual({ module: 'v2.mjs', sdk: 2 });
  });

  it('sets the version of the SDK that other files of the project import', () => {
    enter('through');
    write(
      'made.ts',
      'import { McpServer } from "@modelcontextprotocol/server";\nexport const made = () => new McpServer();\n',
    );
    write('between.ts', 'export { made as createServer } from "./made.js";\n');
    write('server.ts', 'export { createServer as default } from "./between.js";\n');
    run(...POLICY, '--module', 'server.ts', '--force');
    expect(parse(read('endpoint.yml')).server).toEqual({ module: 'server.ts', sdk: 2 });
  });

  it('takes SDK v1 for a module whose files import both: nothing tells which of them makes the server', () => {
    enter('both');
    const imports = ['@modelcontextprotocol/sdk/server/mcp.js', '@modelcontextprotocol/server'];
    write('made.mjs', imports.map((name, index) => `export * as sdk${index} from '${name}';\n`).join(''));
    write('server.mjs', "export { sdk0 as default } from './made.mjs';\n");
    run(...POLICY, '--module', 'server.mjs', '--force');
    expect(parse(read('endpoint.yml')).server).toEqual({ module: 'server.mjs' });
  });

  it('quotes paths that YAML would read otherwise', () => {
    write('a: b #c.yaml', 'version: 1\n');
    run(
      'init',
      '--lambda',
      '--policy',
      'a: b #c.yaml',
      '--policy',
      'policy.yaml',
      '--module',
      'server.mjs',
      '--force',
    );
    expect(parse(read('endpoint.yml')).policy).toEqual(['a: b #c.yaml', 'policy.yaml']);
  });

  it.each([
    [['--policy', 'none.yaml', '--module', 'server.mjs'], 'none.yaml does not exist'],
    [
      ['--policy', 'policy.yaml'],
      'There is no server. Pass one of --module FILE, --package NAME and --url URL',
    ],
    [['--policy', 'policy.yaml', '--url', 'https://a.example', '--package', 'x'], 'There are 2 servers'],
    [['--policy', 'policy.yaml', '--url', 'mcp.example'], 'begins with http:// or https://'],
    [['--policy', 'policy.yaml', '--module', 'none.ts'], 'none.ts does not exist'],
    [
      ['--policy', 'policy.yaml', '--package', 'x', '--variant', 'htp'],
      'Allowed choices are http, rest, jwt',
    ],
    [
      ['--policy', 'policy.yaml', '--package', 'x', '--service', '1 tool'],
      '--service takes letters, digits and -',
    ],
    [['--policy', 'policy.yaml', '--package', 'x', '--servce', 'a'], 'Did you mean --service?'],
  ])('refuses %j', (args, message) => {
    enter('refused');
    const { code, stderr } = run('init', '--lambda', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(folder, 'serverless.yml'))).toBe(false);
  });

  it('takes the policy of the folder, and refuses a folder without one', () => {
    enter('policy');
    rmSync(join(folder, 'policy.yaml'));
    const { code, stderr } = run('init', '--lambda', '--module', 'server.mjs');
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no policy. Pass --policy PATH')]);
    write('policy.yaml', 'version: 1\n');
    expect(run('init', '--lambda', '--module', 'server.mjs').code).toBe(0);
  });
});

describe('bundle', () => {
  beforeAll(() => {
    enter('bundle');
    write('server.mjs', 'export default () => undefined;\n');
    write('endpoint.yml', 'policy: policy.yaml\nserver: { module: server.mjs }\n');
    execFileSync('ln', ['-s', resolve('node_modules'), join(folder, 'node_modules')]);
  });

  it.each([
    ['server: { module: server.mjs }', '"policy" is missing'],
    ['policy: p.yaml', '"server" is missing'],
    ['policy: p.yaml\nserver: { docker: x }', '"server" must have one of module, package, url'],
    ['policy: p.yaml\nserver: { module: a, sdk: 3 }', '"server.sdk" must be one of 1, 2'],
    ['policy: p.yaml\nserver: { url: "ftp://x" }', 'the value of "server.url" is not valid'],
    ['policy: p.yaml\nserver: { package: a, arguments: x }', 'the value of "server.arguments" is not valid'],
    ['policy: p.yaml\nserver: { package: a, silence: 0.5 }', 'the value of "server.silence" is not valid'],
    ['policy: p.yaml\nserver: { module: a, silence: 5 }', '"silence" is not a known key in "server"'],
    ['policy: p.yaml\nserver: { module: a }\nserver2: {}', '"server2" is not a known key'],
    [
      'policy: p.yaml\nserver: { module: a }\nsecrets: { A: "vault:x" }',
      'the value of "secrets.A" is not valid',
    ],
    ['[]', 'it must be a mapping'],
    ['', 'other.yml is not valid'],
    ['policy: [', 'other.yml:'],
  ])('refuses an endpoint that is not valid: %j', (text, message) => {
    write('other.yml', text);
    const { code, stderr } = run('bundle', '--endpoint', 'other.yml');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses to replace a folder with other files', () => {
    const before = readdirSync(folder);
    const { code, stderr } = run('bundle', '--out', '.');
    expect([code, stderr]).toEqual([2, expect.stringContaining('. has other files than those of a bundle.')]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('says how to write endpoint.yml if there is none', () => {
    const { code, stderr } = run('bundle', '--endpoint', 'none.yml');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Write it with "mcp-concerns init --lambda"'),
    ]);
  });
});
