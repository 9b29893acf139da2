/**
 * An endpoint in a process that has served nothing yet: it knows no session. Prints its URL, then what its log has of each
 * request, as JSON: `node scripts/run.mjs test/behavior/store-faults/cold-process.ts TABLE POLICY SECRET`.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { preparePolicy } from '../../../src/core/engine/index.js';
import { listenLocally } from '../../../src/core/http/local.js';
import { createHandler } from '../../../src/core/http/sdk-v1.js';
import { parsePolicy } from '../../../src/core/policy/parse.js';
import { createDynamoStore } from '../../../src/core/session/dynamodb.js';
import type { WriteLog } from '../../../src/core/telemetry/request-log.js';

const [table = '', policyText = '', sessionSecret] = process.argv.slice(2);
const { compiled } = parsePolicy(new Map([['policy.yaml', policyText]]));
if (compiled === undefined) throw new Error('The policy has errors.');
const server = () => {
  const made = new McpServer({ name: 'small', version: '1.0.0' });
  for (const name of ['a', 'b', 'c'])
    made.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `ran ${name}` }] }));
  return made;
};
const handle = createHandler({
  server,
  policy: preparePolicy(compiled),
  store: createDynamoStore({ table }),
});
const log: WriteLog = ({ storeCalls, reports }) => console.log(JSON.stringify({ storeCalls, reports }));
const { url } = await listenLocally((request, given) => handle(request, { ...given, sessionSecret }), {
  log,
});
console.log(url);
