import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleFunction } from '../src/deploy/bundle.js';
import { compiledFixture, FIXTURE_CONCERNS, fixtureTools } from './fixture.js';
import { type ColdStart, coldStart } from './lambda/cold-start.js';
import { type Ratio, ratio, ratioOf } from './measure.js';

const FOLDER = 'build/bench-lambda';
const STARTS = 13;
const COMPARED = { demo: `${FOLDER}/bare-demo.mjs`, thousand: `${FOLDER}/bare-thousand.mjs` };

/** Measures how much the plugin adds to a cold start, and how much a snapshot or a static catalog saves. */
export async function lambdaRatios(): Promise<Ratio[]> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/thousand.yaml`, policyText());
  const policy = `${FOLDER}/thousand.yaml`;
  const module = 'bench/zod-server.ts';
  await bundleFunction(
    { policy: 'policies/vault.yaml', server: { module: 'examples/vault/server.ts' } },
    { target: `${FOLDER}/demo` },
  );
  await bundleFunction({ policy, server: { module } }, { target: `${FOLDER}/plain` });
  await bundleFunction({ policy, server: { module }, catalog: 'snapshot' }, { target: `${FOLDER}/snapshot` });
  await bundleFunction({ policy, server: { module }, catalog: 'static' }, { target: `${FOLDER}/static` });
  await bundleBare();

  const demo = await compare(`${FOLDER}/demo/index.mjs`, COMPARED.demo, event(), event());
  const plain = await compare(
    `${FOLDER}/plain/index.mjs`,
    COMPARED.thousand,
    event(FIXTURE_CONCERNS),
    event(),
  );
  const snapshot = await compare(
    `${FOLDER}/snapshot/index.mjs`,
    COMPARED.thousand,
    event(FIXTURE_CONCERNS),
    event(),
  );
  expectQuarter([...plain.measured, ...snapshot.measured]);
  const served = (times: ColdStart) => times.imported + times.called;
  return [
    coldRatio(
      'import of the packaged demo / of the smallest bundle of it without the plugin',
      1.1,
      demo,
      ({ imported }) => imported,
    ),
    coldRatio('the same, to the first list of the demo', undefined, demo, served),
    coldRatio(
      'cold first tools/list of 1000 tools from a snapshot, filtered to a quarter, measured from the import / without the plugin, unfiltered',
      0.3,
      snapshot,
      served,
    ),
    coldRatio('the same, measured from the start of the process', undefined, snapshot, ({ total }) => total),
    coldRatio('the same, measured from the call', undefined, snapshot, ({ called }) => called),
    coldRatio('the same, measured from the import, without a snapshot', undefined, plain, served),
    await warm(),
  ];
}

interface Compared {
  readonly measured: ColdStart[];
  readonly baseline: ColdStart[];
}

async function compare(entry: string, bare: string, own: object, plain: object): Promise<Compared> {
  const compared: Compared = { measured: [], baseline: [] };
  for (let start = 0; start < STARTS; start++) {
    const measured = async () => compared.measured.push(await coldStart(entry, own));
    const baseline = async () => compared.baseline.push(await coldStart(bare, plain));
    for (const run of start % 2 === 0 ? [measured, baseline] : [baseline, measured]) await run();
  }
  return compared;
}

function coldRatio(
  name: string,
  target: number | undefined,
  { measured, baseline }: Compared,
  of: (start: ColdStart) => number,
): Ratio {
  const nanos = (starts: readonly ColdStart[]) => starts.map((start) => of(start) * 1e6);
  return ratioOf(name, target, nanos(measured), nanos(baseline));
}

async function warm(): Promise<Ratio> {
  process.env.MCP_CONCERNS_SESSIONS = 'none';
  const handlerOf = async (entry: string) => {
    const { handler } = (await import(resolve(entry))) as {
      handler: (event: object, context: object) => Promise<unknown>;
    };
    return (invocation: object) => handler(invocation, { awsRequestId: 'one' });
  };
  const [own, bare] = [await handlerOf(`${FOLDER}/static/index.mjs`), await handlerOf(COMPARED.thousand)];
  const [filtered, full] = [event(FIXTURE_CONCERNS), event()];
  const write = process.stdout.write;
  process.stdout.write = () => true;
  try {
    await own(filtered);
    return await ratio(
      'warm tools/list of 1000 tools with catalog: static, filtered to a quarter, one server per request / without the plugin, unfiltered',
      0.015,
      { work: () => own(filtered), repeat: 4 },
      { work: () => bare(full) },
      40,
    );
  } finally {
    process.stdout.write = write;
  }
}

function expectQuarter(starts: readonly ColdStart[]): void {
  if (starts.some(({ tools }) => tools !== 250)) throw new Error('The fixture is not filtered to a quarter.');
}

async function bundleBare(): Promise<void> {
  await build({
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
    entryPoints: ['bench/lambda/bare-demo.ts', 'bench/lambda/bare-thousand.ts'],
    outdir: FOLDER,
  });
}

/** @returns the policy of the fixture as an author would write it, but as JSON, which is also YAML */
function policyText(): string {
  const { concerns, primitives } = compiledFixture(fixtureTools(1000));
  const declared = concerns.map(({ name, values, match }) => [name, { values, match }]);
  const mapped = primitives.tools.map(({ name, values }) => {
    const own = Object.entries(values).map(([concern, { is }]) => [concern, is[0]]);
    return [name, Object.fromEntries(own)];
  });
  const tools = Object.fromEntries(mapped);
  return JSON.stringify(
    { version: 1, concerns: Object.fromEntries(declared), primitives: { tools } },
    null,
    1,
  );
}

/** @returns the event of a list request as an HTTP API sends it, with concerns in the URL */
function event(concerns?: Readonly<Record<string, string>>): object {
  const preferences = Object.entries(concerns ?? {}).map(([name, value]) => `${name}:${value}`);
  return {
    version: '2.0',
    rawPath: '/mcp',
    rawQueryString: preferences.length === 0 ? '' : `concerns=${preferences.join(',')}`,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      host: 'bench.example',
    },
    requestContext: { http: { method: 'POST' }, domainName: 'bench.example', requestId: 'one' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    isBase64Encoded: false,
  };
}
