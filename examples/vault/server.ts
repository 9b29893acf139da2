import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { createDeployedTasks, type TaskDefinition, type Tasks, withTasks } from 'mcp-concerns/tasks';
import { addBackupTools } from './backup-tools.js';
import { addCryptoTools } from './crypto-tools.js';
import { addDataTools } from './data-tools.js';
import { addKeyTools } from './key-tools.js';
import { addLogTools } from './log-tools.js';
import { addPrompts } from './prompts.js';
import { addRecordTools } from './record-tools.js';
import { defineReencryptTask } from './reencrypt-task.js';
import { addResources } from './resources.js';
import { sharedVault, type Vault } from './vault.js';

export { Vault } from './vault.js';

// Without this, the SDK creates a validator for each server, which is a large part of the cost of a server.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The tasks of each vault: they outlive the server that started them. */
const tasksOf = new WeakMap<Vault, Tasks>();

/**
 * Creates the MCP server of a vault: encryption, signatures, records and a log, with `node:crypto` and `node:zlib` only.
 *
 * A server is cheap, so that each HTTP request can have its own. The vault keeps what outlives a request.
 *
 * @param vault the vault; by default, the one that all servers of this process share
 * @returns a server that is not connected yet
 *
 * @example
 * await createVaultServer().connect(new StdioServerTransport());
 */
export function createVaultServer(vault: Vault = sharedVault): McpServer {
  // They run in this process, where the vault is. On AWS Lambda no process lasts, so there they are plain calls.
  const kept = tasksOf.get(vault) ?? createDeployedTasks([defineReencryptTask(vault)]);
  tasksOf.set(vault, kept);
  return withTasks(createServerWithoutTasks(vault), kept);
}

function createServerWithoutTasks(vault: Vault): McpServer {
  const server = new McpServer(
    { name: 'vault', title: 'Data vault', version: '0.1.0' },
    {
      instructions:
        'A data vault: it encrypts, signs, redacts and stores text. Keys never leave the vault; refer to them by id. ' +
        'The key "default" encrypts and the key "signing" signs unless you name another one.',
      jsonSchemaValidator,
    },
  );
  addCryptoTools(server, vault);
  addKeyTools(server, vault);
  addLogTools(server, vault);
  addDataTools(server);
  addRecordTools(server, vault);
  addBackupTools(server, vault);
  addPrompts(server, vault);
  addResources(server, vault);
  return server;
}

/** The export that endpoints and `custom.endpoint` of `serverless.yml` call. They add the tasks. */
export const createServer = (): McpServer => createServerWithoutTasks(sharedVault);

/** The tasks that endpoints add to each server, and that the worker of `templates/serverless.tasks.yml` runs. */
export const tasks: readonly TaskDefinition[] = [defineReencryptTask(sharedVault)];
