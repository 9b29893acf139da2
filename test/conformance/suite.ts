import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What Node 22 and the official suite are installed in: see its package.json. */
const RUNTIME = resolve('test/runtimes/22');
const NODE = join(RUNTIME, 'node_modules/node/bin/node');
const SUITE = join(RUNTIME, 'node_modules/@modelcontextprotocol/conformance');

/** One check of the suite, as its report has it. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The checks of each scenario, in their order. */
export type Report = ReadonlyMap<string, readonly Check[]>;

/** Installs what package.json of the runtime pins, if it is not there. */
export async function installSuite(): Promise<void> {
  const { dependencies } = readPackage(RUNTIME) as { dependencies: Record<string, string> };
  const current = Object.entries(dependencies).every(([name, pinned]) => {
    const folder = join(RUNTIME, 'node_modules', name);
    return existsSync(folder) && readPackage(folder).version === pinned;
  });
  if (current && existsSync(NODE)) return;
  console.log(`Installing Node 22 and the suite in ${RUNTIME}`);
  // In the folder, not with --prefix: the package `node` installs its binary with an npm of its own.
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], RUNTIME);
  if (code !== 0)
    throw new Error(`npm ci in ${RUNTIME} ended with ${code}; the suite needs the registry once.`);
}

const readPackage = (folder: string): { version?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * Runs what a revision requires of servers against a URL.
 *
 * @param folder for the suite's results and its output, emptied before
 */
export async function runSuite(url: string, revision: string, folder: string): Promise<Report> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const log = await open(join(folder, 'output.txt'), 'w');
  const results = resolve(folder, 'results');
  const flags = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
  // It ends with 1 where a required check fails; what counts here is the comparison.
  const code = await run(NODE, [join(SUITE, 'dist/index.js'), ...flags], RUNTIME, log.fd);
  await log.close();
  const report = await readReport(results);
  if (report.size === 0)
    throw new Error(`The suite ended with ${code} and no results; see ${folder}/output.txt.`);
  return report;
}

async function readReport(folder: string): Promise<Report> {
  const report = new Map<string, Check[]>();
  const folders = await readdir(folder).catch(() => []);
  for (const name of folders.sort()) {
    const [, scenario = name] = /^server-(.*?)-\d{4}-\d\d-\d\dT/.exec(name) ?? [];
    // A scenario that broke off leaves its folder empty.
    const checks = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => undefined);
    const broken: Check = { id: scenario, name: 'ran to its end', status: 'FAILURE' };
    report.set(scenario, checks === undefined ? [broken] : JSON.parse(checks));
  }
  return report;
}

/** Many times what a run takes. */
const DEADLINE_MS = 150_000;

// Ends the children too: a signal by itself would skip what is to be done on exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Runs a command to its end; it does not outlive this process. */
function run(
  command: string,
  args: string[],
  cwd: string,
  output: number | 'inherit' = 'inherit',
): Promise<number> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', output, output], timeout: DEADLINE_MS });
  const stop = () => child.kill();
  process.once('exit', stop);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', stop);
      if (code === null)
        reject(new Error(`${command} was ended by ${signal}; it may take ${DEADLINE_MS} ms.`));
      else resolve(code);
    });
  });
}
