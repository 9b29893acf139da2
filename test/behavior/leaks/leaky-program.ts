import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { gatedTransport } from '../../../src/core/gate/edge/gated-transport.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { LeakyServer } from './leaky-server.js';

/** The leaky server as a process: `node leaky.mjs instructs|silent [policy]`. Without a policy it has no gate. */
const [instructs, file] = process.argv.slice(2);
const stdio = new StdioServerTransport();
const server = new LeakyServer(instructs === 'instructs');
await server.connect(file === undefined ? stdio : gatedTransport(stdio, { policy: loadPolicy(file) }));
