import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder in which the runtime client of Lambda and Node.js 24 are installed; see its package.json. */
const RUNTIME = resolve('test/runtimes/lambda');
export const NODE_24 = join(RUNTIME, 'node_modules/node/bin/node');
export const CLIENT = join(RUNTIME, 'node_modules/aws-lambda-ric/index.mjs');
const COMPILED = join(RUNTIME, 'node_modules/aws-lambda-ric/rapid-client.node');

/** Installs the versions that the package.json of the runtime pins, unless they are installed. */
export async function installRuntime(): Promise<void> {
  const { dependencies } = readPackage(RUNTIME) as { dependencies: Record<string, string> };
  const current = Object.entries(dependencies).every(([name, pinned]) => {
    const folder = join(RUNTIME, 'node_modules', name);
    return existsSync(folder) && readPackage(folder).version === pinned;
  });
  if (current && existsSync(NODE_24) && existsSync(COMPILED)) return;
  console.log(
    `Installing aws-lambda-ric and Node.js 24 in ${RUNTIME}. The first installation compiles for a minute or more.`,
  );
  // Run in the folder instead of with --prefix, because the package `node` starts another npm to install its binary.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', args, { cwd: RUNTIME, stdio: 'inherit' });
  const stop = () => child.kill();
  process.once('exit', stop);
  const [code, signal] = await once(child, 'close');
  process.off('exit', stop);
  if (code !== 0) {
    const message = `npm ci in ${RUNTIME} exited with ${code ?? signal}. The first installation requires the registry, cmake, python3, g++ and make.`;
    throw new Error(message);
  }
}

const readPackage = (folder: string): { version?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
