import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { read } from '../../../src/core/wire/messages.js';
import { createVariant } from '../../deploy/project.js';

it('packages the variants jwt and tasks together', async () => {
  const project = createVariant('jwt,tasks');
  const osls = resolve('node_modules/serverless/bin/serverless.js');
  const args = [
    'package',
    '--param=issuer=https://login.example/',
    '--param=audience=https://mcp.example/mcp',
  ];
  await promisify(execFile)(process.execPath, [osls, ...args], { cwd: project.folder });
  const file = join(project.folder, '.serverless/cloudformation-template-update-stack.json');
  const { Resources } = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of ['mcp', 'tasks'])
    expect(existsSync(join(project.folder, `.serverless/${name}.zip`))).toBe(true);
  const routes = Object.values(Resources).filter((each) => read(each, 'Type') === 'AWS::ApiGatewayV2::Route');
  const open = routes.filter((each) => read(each, 'Properties', 'AuthorizationType') !== 'JWT');
  // The metadata tell hosts where to log in.
  expect(open.map((each) => read(each, 'Properties', 'RouteKey')).toSorted()).toEqual([
    'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/oauth-protected-resource/mcp',
  ]);
  expect(routes).toHaveLength(5);
  expect(Resources.TasksLambdaFunction.Properties.DurableConfig).toEqual({
    ExecutionTimeout: 86_400,
    RetentionPeriodInDays: 7,
  });
  const { Variables } = Resources.McpLambdaFunction.Properties.Environment;
  expect(Variables).toMatchObject({
    MCP_CONCERNS_ISSUERS: 'https://login.example/',
    MCP_CONCERNS_TASKS_FUNCTION: { Ref: 'TasksDurableLambdaAlias' },
    MCP_CONCERNS_TASKS_TABLE: { Ref: 'TasksTable' },
  });
});
