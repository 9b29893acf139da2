import { StdioServerTransport as StdioV1 } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StdioServerTransport as StdioV2 } from '@modelcontextprotocol/server/stdio';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { serverV1, serverV2 } from './servers.js';

/** The suite's server as a separate process: `server.mjs v1|v2 [policy]`. */
const [generation, file] = process.argv.slice(2);
if (generation === 'v1') {
  const server = serverV1();
  if (file !== undefined) attachConcerns(server, { policy: loadPolicy(file) });
  await server.connect(new StdioV1());
} else {
  const server = serverV2();
  if (file !== undefined) attachConcerns(server, { policy: loadPolicy(file) });
  await server.connect(new StdioV2());
}
