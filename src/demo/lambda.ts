import { readFileSync } from 'node:fs';
import { openCompiledPolicy } from '../policy/compiled.js';
import { createFunction } from '../serve/function.js';
import { createVaultServer } from './server.js';

/** The function that `serverless.yml` deploys: the demo server under the policy that was compiled into the bundle. */
export const handler = createFunction({
  server: () => createVaultServer(),
  policy: openCompiledPolicy(JSON.parse(readFileSync(new URL('./policy.json', import.meta.url), 'utf8'))),
});
