import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The folder in which Node 22 and the official suite are installed: see its package.json. */
const RUNTIME = resolve('test/runtimes/22');
const NODE = join(RUNTIME, 'node_modules/node/bin/node');
const SUITE = join(RUNTIME, 'node_modules/@modelcontextprotocol/conformance');

/** One check in a report of the suite. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The checks of each scenario, in order. */
export type Report = ReadonlyMap<string, readonly Check[]>;

/** Installs the versions that package.json of the runtime pins, if they are missing. */
export async function installSuite(): Promise<void> {
  const { dependencies } = readPackage(RUNTIME) as { dependencies: Record<string, string> };
  const current = Object.entries(dependencies).every(([name, pinned]) => {
    const folder = join(RUNTIME, 'node_modules', name);
    return existsSync(folder) && readPackage(folder).version === pinned;
  });
  if (current && existsSync(NODE)) return;
  console.log(`Installing Node 22 and the suite in ${RUNTIME}`);
  // npm runs in the folder instead of with --prefix, because the package `node` installs its binary with its own npm.
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], RUNTIME);
  if (code !== 0)
    throw new Error(`npm ci in ${RUNTIME} ended with ${code}; the suite needs the registry once.`);
}

const readPackage = (folder: string): { version?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * Runs the checks that a revision requires of servers against a URL.
 *
 * @param folder where the results and the output of the suite are written; its old content is deleted
 */
export async function runSuite(url: string, revision: string, folder: string): Promise<Report> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const log = await open(join(folder, 'output.txt'), 'w');
  const results = resolve(folder, 'results');
  const flags = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
  // The suite exits with 1 if a required check fails. Only the comparison matters here.
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
    // An aborted scenario leaves its folder empty.
    const checks = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => undefined);
    const broken: Check = { id: scenario, name: 'ran to its end', status: 'FAILURE' };
    report.set(scenario, checks === undefined ? [broken] : JSON.parse(checks));
  }
  return report;
}

/** The time limit of a command: many times its usual duration. */
const DEADLINE_MS = 150_000;

// Without this, a signal would skip the exit handlers, which stop the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Runs a command until it ends. Stops it if this process ends earlier. */
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
