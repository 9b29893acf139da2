import { readFileSync } from 'node:fs';
import { Logger } from '@aws-lambda-powertools/logger';
import { openCompiledPolicy } from '../policy/compiled.js';
import { createLambdaHandler } from '../serve/lambda.js';
import { createLog } from '../serve/log.js';
import { createMemoryStore } from '../session/memory.js';
import { createVaultServer } from './server.js';

const logger = new Logger({ serviceName: 'mcp-concerns' });
logger.warn(
  'Sessions are kept in the memory of this environment: others that Lambda starts do not share them.',
);

/** The function that `serverless.yml` deploys: the demo server under the policy that was compiled into the bundle. */
export const handler = createLambdaHandler({
  server: () => createVaultServer(),
  policy: openCompiledPolicy(JSON.parse(readFileSync(new URL('./policy.json', import.meta.url), 'utf8'))),
  store: createMemoryStore(),
  log: createLog(logger),
});
