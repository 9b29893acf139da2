import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scenarioOf } from '../behavior/examples/scenarios.js';
import { startEnvironment } from '../deploy/project.js';
import { unzip } from '../deploy/unzip.js';
import { httpEvent, rpc, toolsOf } from '../lambda/events.js';
import { run, unreachableRegistry, Workspace } from './project.js';

const GUIDE = 'docs/guides/deploy.md';
const OTHER_TOOLS = 'docs/guides/deploy-with-other-tools.md';

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the guide installs packages from the npm registry, but ${unreachable}.`);

describe.skipIf(unreachable !== undefined)(
  'the guides for deployment, in an empty folder',
  { timeout: 300_000 },
  () => {
    let workspace: Workspace;
    beforeAll(async () => {
      workspace = await Workspace.create();
    });
    afterAll(() => workspace?.remove());

    /** Executes a scenario word for word, except that `npm install` takes the packed package instead of a published one. */
    async function execute(page: string, name: string): Promise<string> {
      const folder = workspace.project(name);
      for (const step of scenarioOf(page, name)) {
        if ('file' in step) {
          mkdirSync(dirname(join(folder, step.file)), { recursive: true });
          writeFileSync(join(folder, step.file), step.text);
        } else {
          await run(
            ['sh', '-c', step.command.replace(/^(npm install) mcp-concerns /, `$1 ${workspace.tarball} `)],
            folder,
          );
        }
      }
      return folder;
    }

    async function unpack(folder: string): Promise<string> {
      const task = join(folder, 'task');
      const zip = readdirSync(join(folder, '.serverless')).find((file) => file.endsWith('.zip')) ?? '';
      await unzip(join(folder, '.serverless', zip), task);
      return task;
    }

    it.each([
      ['own-server', ['read_note']],
      ['sdk-v2', ['read_note']],
    ])('packages a function that filters: %s', async (name, shown) => {
      const environment = startEnvironment(await unpack(await execute(GUIDE, name)));
      try {
        const query = { rawQueryString: 'concerns=access:read' };
        expect(toolsOf(await environment.invoke(httpEvent('POST', rpc('tools/list'), query)))).toEqual(shown);
      } finally {
        await environment.close();
      }
    });

    it('packages a stdio server from npm', async () => {
      const environment = startEnvironment(await unpack(await execute(GUIDE, 'stdio')));
      try {
        expect(toolsOf(await environment.invoke(httpEvent('POST', rpc('tools/list'))))).toContain('echo');
      } finally {
        await environment.close();
      }
    });

    it('packages native code for the architecture of the function only', async () => {
      const task = await unpack(await execute(GUIDE, 'native'));
      const native = readdirSync(join(task, 'build/lambda/node_modules/@libsql'));
      expect(native.filter((name) => /^(linux|darwin|win32)/.test(name))).toEqual(['linux-arm64-gnu']);
    });

    it('packages a remote server', async () => {
      const task = await unpack(await execute(GUIDE, 'remote'));
      expect(readdirSync(join(task, 'build/lambda'))).toEqual(
        expect.arrayContaining(['index.mjs', 'policy.json']),
      );
    });

    it('synthesizes the CDK stack with its resources and output', async () => {
      const folder = workspace.project('cdk');
      for (const step of scenarioOf(OTHER_TOOLS, 'cdk')) {
        if ('file' in step) writeFileSync(join(folder, step.file), step.text);
      }
      await run(
        [
          'npm',
          'install',
          '--no-audit',
          '--no-fund',
          'aws-cdk-lib',
          'constructs',
          'typescript',
          '@types/node',
        ],
        folder,
      );
      mkdirSync(join(folder, 'build/lambda'), { recursive: true });
      writeFileSync(
        join(folder, 'build/lambda/index.mjs'),
        'export const handler = async () => ({ statusCode: 200 });\n',
      );
      writeFileSync(join(folder, 'synth.ts'), CDK_ASSERTIONS);
      const compilerOptions = {
        strict: true,
        module: 'NodeNext',
        target: 'ES2023',
        types: ['node'],
        skipLibCheck: true,
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['synth.ts'] }));
      await run([process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.'], folder);
      expect(await run([process.execPath, 'synth.js'], folder)).toContain('all assertions hold');
    });
  },
);

/** Runs in the project, where the types of the CDK check it. */
const CDK_ASSERTIONS = `
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EndpointStack } from './stack.js';

const template = Template.fromStack(new EndpointStack(new App(), 'mcp'));
template.hasResourceProperties('AWS::Lambda::Function', {
  Handler: 'index.handler',
  Runtime: 'nodejs24.x',
  Architectures: ['arm64'],
  Timeout: 60,
  Environment: {
    Variables: {
      MCP_CONCERNS_TABLE: { Ref: Match.stringLikeRegexp('^Sessions') },
      MCP_CONCERNS_RESPONSE: 'stream',
    },
  },
});
template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
template.hasResourceProperties('AWS::DynamoDB::Table', {
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
});
template.hasResourceProperties('AWS::IAM::Policy', {
  PolicyDocument: {
    Statement: [
      Match.objectLike({
        Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:PutItem'],
        Effect: 'Allow',
        Resource: [{ 'Fn::GetAtt': [Match.stringLikeRegexp('^Sessions'), 'Arn'] }],
      }),
    ],
  },
});
template.resourceCountIs('AWS::Lambda::Function', 1);
template.hasOutput('Url', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'FunctionUrl'] } });
console.log('all assertions hold');
`;
