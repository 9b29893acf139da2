import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { addBackupTools } from './backup-tools.js';
import { addCryptoTools } from './crypto-tools.js';
import { addDataTools } from './data-tools.js';
import { addKeyTools } from './key-tools.js';
import { addLogTools } from './log-tools.js';
import { addPrompts } from './prompts.js';
import { addRecordTools } from './record-tools.js';
import { addReencryptTask } from './reencrypt-task.js';
import { addResources } from './resources.js';
import { sharedVault, type Vault } from './vault.js';

export { Vault } from './vault.js';

// The SDK builds one for each server unless it is given one, and that is a good part of a server's cost.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * Makes a server for a vault: encryption, signatures, records and a log, on `node:crypto` and `node:zlib` alone.
 *
 * Making one is cheap, so that each HTTP request can have its own; what must outlive a request is in the vault.
 *
 * @example
 * await createVaultServer().connect(new StdioServerTransport());
 */
export function createVaultServer(vault: Vault = sharedVault): McpServer {
  const server = new McpServer(
    { name: 'vault', title: 'Data vault', version: '0.1.0' },
    {
      instructions:
        'A data vault: it encrypts, signs, redacts and stores text. Keys stay inside and are named by id; ' +
        '"default" encrypts and "signing" signs unless you name another.',
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: vault.tasks,
      jsonSchemaValidator,
    },
  );
  addCryptoTools(server, vault);
  addKeyTools(server, vault);
  addLogTools(server, vault);
  addDataTools(server);
  addRecordTools(server, vault);
  addBackupTools(server, vault);
  addReencryptTask(server, vault);
  addPrompts(server, vault);
  addResources(server, vault);
  return server;
}

/** The name by which modules offer their server; see `custom.endpoint` in `serverless.yml`. */
/** For endpoints, which pass the request: every server they create shares one vault. */
export const createServer = (): McpServer => createVaultServer();
