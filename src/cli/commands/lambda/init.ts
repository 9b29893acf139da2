import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { IN_MEMORY, loadEsbuild } from '../../../deploy/build-code.js';
import { combineTemplates } from '../../../deploy/combine-templates.js';
import { probeModule } from '../../../deploy/probe-module.js';
import { CliError, UsageError } from '../../errors.js';
import { commandOf, type RunnableCommand } from '../../options/command-line.js';
import { initLambdaCommand, type Options } from '../../options/generated/commands.js';
import { parseUrl } from '../../options/input-options.js';
import { onePolicyOf } from '../../options/policy-option.js';
import { refuseToOverwrite } from '../../proposals/policy-files.js';
import type { Terminal } from '../../terminal/output.js';
import { writeOutput } from '../../terminal/write-output.js';
import { packageFile } from '../../version.js';

/** What stands in front of the function, and whether a second one runs the tasks of the server. */
type Variant = Options['initLambda']['variant'];

/** `tasks` is short for `http,tasks`. Each front but `http` has a file in `templates`. */
const hasTasks = (variant: Variant): boolean => variant.endsWith('tasks');
const frontOf = (variant: Variant): string => variant.replace(/,?tasks$/, '') || 'http';

/**
 * @throws {CliError} if an argument is not valid, or a file exists already
 * @example
 * await command.run(['--lambda', '--policy', 'policy.yaml', '--module', 'src/server.ts']);
 */
export const command: RunnableCommand = commandOf(
  initLambdaCommand(),
  async (line) => {
    const { values, terminal } = line;
    const policies = onePolicyOf(line);
    const absent = policies.find((path) => !existsSync(path));
    if (absent !== undefined)
      throw new CliError(`${absent} does not exist. Write a policy first: "mcp-concerns init --help".`);
    const server = await serverOf(values);
    await tryModule(server, terminal);
    const { variant } = values;
    if (hasTasks(variant) && server.module === undefined) {
      throw new UsageError('--variant tasks needs --module: the tasks are those of your own server');
    }
    const service = values.service ?? serviceName(basename(resolve('.')));
    if (!isServiceName(service)) {
      throw new UsageError(
        `--service takes letters, digits and -, beginning with a letter, not "${service}"`,
      );
    }
    const included = ['serverless.observe.cjs', 'serverless.observe.yml'];
    if (frontOf(variant) === 'jwt') included.push('serverless.cors.cjs');
    const files = new Map([
      ['endpoint.yml', endpointText(policies, server)],
      ['serverless.yml', templateText(variant, service)],
      ...included.map((file) => [file, readTemplate(`templates/${file}`)] as const),
    ]);
    if (values.force !== true) refuseToOverwrite([...files.keys()], 'Pass --force');
    for (const [file, text] of files) writeOutput(file, text, terminal);
    terminal.note(`Wrote ${[...files.keys()].join(', ')} for the service ${service}.`);
    for (const step of nextSteps(server, variant)) terminal.note(step);
    // The server of the function is not the input of the project.
  },
  () => ({ policy: 'policy' }),
);

type Given = Partial<Record<'module' | 'package' | 'url', string | undefined>>;

interface Server extends Given {
  readonly sdk?: 2;
}

async function serverOf({ module, package: name, url }: Given): Promise<Server> {
  const given = [module, name, url].filter((each) => each !== undefined);
  if (given.length !== 1) {
    const problem = given.length === 0 ? 'There is no server' : `There are ${given.length} servers`;
    throw new UsageError(`${problem}. Pass one of --module FILE, --package NAME and --url URL`);
  }
  if (url !== undefined) return { url: parseUrl(url).href };
  if (name !== undefined) return { package: name };
  if (module === undefined || !existsSync(module))
    throw new CliError(`${module} does not exist. Pass the module of your server with --module.`);
  const code = readFileSync(module, 'utf8');
  const isV2 = importsSdk(code, 2) || (!importsSdk(code, 1) && (await reachesOnlyV2(module)));
  return isV2 ? { module, sdk: 2 } : { module };
}

/**
 * A module that can serve nothing is refused before anything is written. One that cannot run here may run elsewhere, so that is
 * only said.
 */
async function tryModule({ module, sdk }: Server, terminal: Terminal): Promise<void> {
  if (module === undefined) return;
  const result = await probeModule({ path: resolve(module), name: module, sdk: sdk ?? 1 });
  if (result.state === 'refused') throw new CliError(result.problem);
  if (result.state === 'failed')
    terminal.note(
      `${result.problem} Packaging tries it again, unless you set "probe: off" below server in endpoint.yml.`,
    );
}

const PACKAGES = { 1: '@modelcontextprotocol/sdk', 2: '@modelcontextprotocol/server' } as const;

const importsSdk = (code: string, version: 1 | 2): boolean =>
  new RegExp(`from\\s*['"]${PACKAGES[version]}['"/]`).test(code);

/**
 * Whether files of a project that a module imports import SDK v2, and none imports v1: with both, nothing tells which of them
 * makes the server. Code that cannot be bundled says so when it is.
 */
async function reachesOnlyV2(module: string): Promise<boolean> {
  try {
    const { build } = await loadEsbuild();
    const { metafile } = await build({ ...IN_MEMORY, metafile: true, entryPoints: [module] });
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
    const reaches = (name: string) =>
      imported.some(({ path }) => path === name || path.startsWith(`${name}/`));
    return reaches(PACKAGES[2]) && !reaches(PACKAGES[1]);
  } catch {
    return false;
  }
}

function endpointText([only, ...more]: readonly string[], server: object): string {
  const policy = more.length === 0 ? only : [only, ...more];
  return `# What the Lambda function serves. serverless.yml includes this file, and "mcp-concerns bundle" reads it.
${stringify({ policy, server }, { lineWidth: 0 })}`;
}

function templateText(variant: Variant, service: string): string {
  const front = frontOf(variant);
  const text = readTemplate(front === 'http' ? 'serverless.yml' : `templates/serverless.${front}.yml`);
  const added = hasTasks(variant)
    ? combineTemplates(text, readTemplate('templates/serverless.tasks.yml'))
    : text;
  return added.replace(/^service: .*\n/m, stringify({ service }));
}

/** In this package, the files that a template includes are in a folder. In a project, they are beside serverless.yml. */
const readTemplate = (file: string): string =>
  readFileSync(packageFile(file), 'utf8').replaceAll('./templates/', './');

/** The name of a service is part of the name of its CloudFormation stack. */
const isServiceName = (name: string): boolean => /^[a-z][a-z0-9-]{1,63}$/i.test(name);

function serviceName(folder: string): string {
  const name = folder.replaceAll(/[^0-9a-z]+/gi, '-').replaceAll(/^[^a-z]+|-+$/gi, '');
  return isServiceName(name) ? name : 'mcp-endpoint';
}

/** Packaging refuses tasks that nothing would run. */
function taskStep({ module }: Server, variant: Variant): string[] {
  if (module === undefined || hasTasks(variant)) return [];
  const isTasks = /^export\s+(?:const\s+tasks\b|\{[^}]*\btasks\b)/m.test(readFileSync(module, 'utf8'));
  if (!isTasks) return [];
  const again = `--variant ${variant},tasks --force`;
  return [
    `${module} exports tasks. Run this again with "${again}", or set "tasks: plain" below server in endpoint.yml.`,
  ];
}

function nextSteps(server: Server, variant: Variant): string[] {
  const install = (command: string, names: readonly string[]): string[] => {
    const missing = names.filter((name) => !existsSync(join('node_modules', name)));
    return missing.length === 0 ? [] : [`Run "${command} ${missing.join(' ')}".`];
  };
  const isUnable = 'cannot ask 2026-07-28 hosts questions, because a function keeps no open calls.';
  return [
    `Hosts of 2026-07-28 and of 2025-11-25 are served.${server.sdk === 2 ? '' : ` A server that speaks 2025-11-25 ${isUnable}`}`,
    ...taskStep(server, variant),
    ...install('npm install', [
      '@aws-lambda-powertools/logger',
      '@aws-sdk/client-dynamodb',
      ...(hasTasks(variant) ? ['@aws-sdk/client-lambda', '@aws/durable-execution-sdk-js'] : []),
      ...(server.sdk === 2 ? ['@modelcontextprotocol/server'] : []),
      ...(server.package === undefined ? [] : [server.package]),
    ]),
    ...install('npm install --save-dev', ['osls', 'esbuild']),
    frontOf(variant) === 'jwt'
      ? 'Set issuer and audience in serverless.yml.'
      : 'Anyone who knows the URL may call this endpoint. With "--variant jwt", callers need a token.',
    'Run "npx osls package" to build, and "npx osls deploy" to deploy.',
    'An outage wakes nobody until you deploy with --param="metrics=NAMESPACE" and --param="alarmTopic=ARN".',
  ];
}
