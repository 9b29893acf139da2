/**
 * An endpoint in a process that has served nothing yet: it knows no session. Prints its URL, then what its log has of each
 * request, as JSON: `node cold-process.mjs TABLE POLICY SECRET`.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { preparePolicy } from '../../../dist/engine/index.js';
import { listenLocally } from '../../../dist/http/local.js';
import { createHandler } from '../../../dist/http/sdk-v1.js';
import { parsePolicy } from '../../../dist/policy/parse.js';
import { createDynamoStore } from '../../../dist/session/dynamodb.js';

const [table, policyText, sessionSecret] = process.argv.slice(2);
const { compiled } = parsePolicy(new Map([['policy.yaml', policyText]]));
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
const log = ({ storeCalls, reports }) => console.log(JSON.stringify({ storeCalls, reports }));
const { url } = await listenLocally((request, given) => handle(request, { ...given, sessionSecret }), {
  log,
});
console.log(url);
