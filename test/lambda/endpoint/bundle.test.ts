import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FindingCode } from '../../../src/core/policy/language/finding-codes.js';
import { bundleFunction } from '../../../src/deploy/bundle.js';
import { ACCOUNT, type LocalDynamo, PATIENT, startDynamo } from '../../session/dynamo.js';
import { httpEvent, initialize, rpc } from '../events.js';

/** `npm run test:slow` makes this bundle before it runs the tests, in the same way as `osls package`. */
const BUNDLE = 'build/lambda/index.mjs';

interface Imported {
  readonly path: string;
  readonly kind: string;
  readonly external?: boolean;
}
interface Metafile {
  readonly inputs: Record<string, { readonly imports: readonly Imported[] }>;
  readonly outputs: Record<
    string,
    { readonly inputs: Record<string, object>; readonly imports: readonly Imported[] }
  >;
}

const metaOf = (folder: string) => JSON.parse(readFileSync(`${folder}.meta.json`, 'utf8')) as Metafile;

/** @returns the source files that are loaded together with a file of the bundle, through static imports */
function loadedWith(meta: Metafile, file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const { inputs = {}, imports = [] } = meta.outputs[file] ?? {};
  const chunks = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true);
  return [...Object.keys(inputs), ...chunks.flatMap(({ path }) => loadedWith(meta, path, seen))];
}

describe('the Lambda bundle', () => {
  let meta: Metafile;
  beforeAll(() => {
    meta = metaOf('build/lambda');
  });

  it('contains neither YAML nor the policy checker', () => {
    const texts = Object.keys(meta.outputs).map((file) => readFileSync(file, 'utf8'));
    const having = (text: string): number => texts.filter((each) => each.includes(text)).length;
    // The error of a compiled policy, and codes of findings: the files of the package are joined when it is built.
    expect(having('COMPILED_POLICY_INVALID')).toBe(1);
    const checks: readonly FindingCode[] = [
      'less-shows-more',
      'rule-never-fires',
      'dead-entry',
      'refused-by-hosts',
    ];
    expect(checks.filter((code) => having(code) > 0)).toEqual([]);
    const files = Object.values(meta.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(files.filter((file) => /node_modules\/(yaml|gpt-tokenizer|@hono)\//.test(file))).toEqual([]);
  });

  it('contains ajv only because the SDK imports it', () => {
    const importers = Object.entries(meta.inputs)
      .filter(([, { imports }]) => imports.some(({ path }) => /node_modules\/ajv\/dist\/ajv\.js$/.test(path)))
      .map(([file]) => file);
    expect(
      importers.filter((file) => !file.includes('@modelcontextprotocol/sdk') && !file.includes('ajv')),
    ).toEqual([]);
  });

  it('does not load the AWS client on a cold start, but imports it for the first call to the store', () => {
    const cold = loadedWith(meta, BUNDLE);
    expect(cold.filter((file) => /node_modules\/(@aws-sdk|@smithy)\//.test(file))).toEqual([]);
    const dynamic = (meta.outputs[BUNDLE]?.imports ?? []).filter(({ kind }) => kind === 'dynamic-import');
    expect(dynamic.flatMap(({ path }) => loadedWith(meta, path))).toContainEqual(
      expect.stringMatching(/node_modules\/@aws-sdk\/client-dynamodb\/.*\/DynamoDBClient\.js$/),
    );
  });

  it('loads SDK v2 only with the first request of a modern host', () => {
    const cold = loadedWith(meta, BUNDLE);
    expect(cold).toContain('dist/core/lambda/index.js');
    expect(cold.filter((file) => /mcp-server|modelcontextprotocol\/server/.test(file))).toEqual([]);
    const dynamic = (meta.outputs[BUNDLE]?.imports ?? []).filter(({ kind }) => kind === 'dynamic-import');
    expect(dynamic.flatMap(({ path }) => loadedWith(meta, path))).toContain('dist/core/http/v2.js');
  });

  it('does not load the SDK before the first list with a snapshot', async () => {
    const server = { module: 'examples/vault/server.ts' };
    const target = 'build/lambda-snapshot';
    await bundleFunction({ policy: 'policies/vault.yaml', server, catalog: 'snapshot' }, { target });
    const cold = loadedWith(metaOf(target), `${target}/index.mjs`);
    expect(cold.filter((file) => /modelcontextprotocol\/sdk|mcp-sdk/.test(file))).toEqual([]);
  });

  it('contains the compiled policy', () => {
    expect(JSON.parse(readFileSync('build/lambda/policy.json', 'utf8'))).toMatchObject({ format: 2 });
  });
});

describe('the bundle in a separate process', () => {
  let dynamo: LocalDynamo;
  beforeAll(async () => {
    dynamo = await startDynamo();
  });
  afterAll(() => dynamo.close());

  /** Runs the bundle in a new process, with one event. */
  const run = async (event: object, env: Record<string, string> = {}) => {
    const program = `
      const { handler } = await import(${JSON.stringify(join(process.cwd(), BUNDLE))});
      const result = await handler(${JSON.stringify(event)}, { awsRequestId: 'one' });
      process.stdout.write(JSON.stringify(result) + '\\n', () => process.exit(0));`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      {
        env: { PATH: process.env.PATH ?? '', ...env },
      },
    );
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { statusCode, headers, body } = lines.at(-1);
    return { statusCode, headers, result: JSON.parse(body).result, logged: lines.slice(0, -1), stderr };
  };

  it('answers, logs, and warns that sessions in memory are not shared', async () => {
    const query = { rawQueryString: 'concerns=security:high,cost:minimal' };
    const { statusCode, result, logged, stderr } = await run(httpEvent('POST', rpc('tools/list'), query));
    expect([statusCode, result.tools.length]).toEqual([200, 9]);
    expect(logged).toMatchObject([{ level: 'INFO', 'mcp.method.name': 'tools/list', shown: 9, total: 24 }]);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'WARN', service: 'mcp-concerns' });
  });

  it('finds preferences in the table that another process stored', async () => {
    const env = {
      ...PATIENT,
      MCP_CONCERNS_TABLE: await dynamo.table(),
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_REGION: ACCOUNT.region,
      AWS_ACCESS_KEY_ID: ACCOUNT.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ACCOUNT.credentials.secretAccessKey,
    };
    const opened = await run(
      httpEvent('POST', initialize({ concerns: { security: 'high', cost: 'minimal' } })),
      env,
    );
    const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] };
    const listed = await run(httpEvent('POST', rpc('tools/list'), { headers }), env);
    expect(listed.result.tools).toHaveLength(9);
    expect(listed.logged).toMatchObject([{ level: 'INFO', session: opened.logged[0].session }]);
  });
});
