import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { read } from '../../../src/core/wire/messages.js';
import { unzip } from '../../deploy/unzip.js';

/** A packaged function: the unpacked zip and its configuration in the template. */
export interface PackagedFunction {
  readonly taskRoot: string;
  readonly handler: string;
  /** `nodejs24.x` */
  readonly runtime: string;
  /** MB */
  readonly memory: string;
  /** Its environment variables, without those that refer to resources, because there is no table here. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** Runs `osls package`, and unpacks the zip. */
export async function packageFunction(): Promise<PackagedFunction> {
  const folder = mkdtempSync(join(tmpdir(), 'runtime-'));
  const args = ['node_modules/serverless/bin/serverless.js', 'package', `--package=${folder}`];
  await promisify(execFile)(process.execPath, args);

  const taskRoot = join(folder, 'task');
  await unzip(join(folder, 'mcp-concerns.zip'), taskRoot);
  const template = JSON.parse(
    readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'),
  );
  const resources: object[] = Object.values(template.Resources);
  const properties = read(
    resources.find((resource) => read(resource, 'Type') === 'AWS::Lambda::Function'),
    'Properties',
  );
  const variables = Object.entries(read(properties, 'Environment', 'Variables') as Record<string, unknown>);
  return {
    taskRoot,
    handler: String(read(properties, 'Handler')),
    runtime: String(read(properties, 'Runtime')),
    memory: String(read(properties, 'MemorySize')),
    env: Object.fromEntries(
      variables.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
