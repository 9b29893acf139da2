import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMemoryStore, EXTENSION_ID } from 'mcp-concerns';
import {
  type Concerns,
  createConcerns,
  type HostPreferences,
  type TaskListFilter,
} from 'mcp-concerns/client';
import { serveLocally } from 'mcp-concerns/http/local';
import { loadPolicy } from 'mcp-concerns/policy';
import { createVaultServer } from './server.js';

/** Serves the vault, shows what hosts see, and keeps serving unless `exit` is set. */
async function walkthrough(exit: boolean): Promise<void> {
  const policy = loadPolicy([
    new URL('../../policies/vault.yaml', import.meta.url),
    new URL('../../examples/vault/walkthrough.yaml', import.meta.url),
  ]);
  const endpoint = await serveLocally({
    server: () => createVaultServer(),
    policy,
    store: createMemoryStore(),
  });
  console.log(`\nThe demo vault is listening on ${endpoint.url}, with the policy policies/vault.yaml.\n`);
  await showLists(endpoint.url);
  await showTask(endpoint.url);

  if (exit) return endpoint.close();
  console.log(connectionHelp(endpoint.url));
  process.once('SIGINT', () => void endpoint.close());
  process.once('SIGTERM', () => void endpoint.close());
}

async function showLists(url: string): Promise<void> {
  const client = new Client({ name: 'walkthrough', version: '1.0.0' });
  const concerns = createConcerns(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  showDeclaration(concerns);

  console.log('\n2. A host that sends no preferences sees all tools:\n');
  const all = await toolNames(concerns);
  showTools(all, all);
  await client.close();

  const first = { security: 'high', cost: 'minimal' };
  console.log(
    `\n3. A host that sends ${describe(first)} with "notifications/initialized" sees these tools:\n`,
  );
  const hostClient = new Client({ name: 'walkthrough', version: '1.0.0' });
  const host = createConcerns(hostClient, { preferences: first });
  await hostClient.connect(host.over(new StreamableHTTPClientTransport(new URL(url))));
  const listed = await host.listTools();
  const filtered = listed.tools.map(({ name }) => name);
  showTools(filtered, all);
  console.log(`\n   _meta of the list:          ${JSON.stringify(listed._meta?.[EXTENSION_ID])}`);
  const { name = '', _meta } = listed.tools.find(({ name }) => name === 'redactData') ?? {};
  console.log(`   _meta.concerns of ${name}: ${JSON.stringify(_meta?.concerns)}`);

  const second = { security: 'high', cost: 'moderate' };
  console.log(`\n4. The host sends ${describe(second)} with "updateConcerns" and lists the tools again:\n`);
  await host.set(second);
  showTools(await toolNames(host), all, filtered);
  console.log();
  await hostClient.close();
}

/** Runs the tool of the vault that is a task, answers its question, and prints what a host sees. Then lists the tasks. */
async function showTask(url: string): Promise<void> {
  console.log('5. A host calls reencryptAll as a task, and its user answers the question of the task:\n');
  const client = new Client(
    { name: 'walkthrough', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    console.log(`   question   ${params.message}`);
    console.log('   answer     {action: accept, content: {confirm: true}}');
    return { action: 'accept', content: { confirm: true } };
  });
  const concerns = createConcerns(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  // The client must know which tools are tasks.
  await client.listTools();
  for (const id of ['letter', 'invoice']) {
    await client.callTool({ name: 'storeRecord', arguments: { id, content: `The ${id}.` } });
  }
  await client.callTool({ name: 'rotateKey', arguments: { id: 'default' } });
  const call = { name: 'reencryptAll', arguments: { keyId: 'default' } };
  let shown = '';
  for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema)) {
    if (message.type === 'error') throw message.error;
    const line =
      message.type === 'result'
        ? `result     ${JSON.stringify(message.result.structuredContent)}`
        : `status     ${message.task.status}${message.task.statusMessage === undefined ? '' : `: ${message.task.statusMessage}`}`;
    if (line !== shown) console.log(`   ${line}`);
    shown = line;
  }

  await client.callTool({ name: 'rotateKey', arguments: { id: 'default' } });
  for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema)) {
    if (message.type !== 'taskCreated') continue;
    await client.experimental.tasks.cancelTask(message.task.taskId);
    break;
  }
  console.log('\n6. The host starts a second task, cancels it, and lists its tasks (SEP-1904):\n');
  await showTasks(concerns, 'all', {});
  await showTasks(concerns, '{status: [completed]}', { status: ['completed'] });
  const cheap = { cost: 'minimal' };
  await concerns.set(cheap);
  // The task belongs to a tool that this host is no longer shown.
  await showTasks(concerns, `all, after ${describe(cheap)}`, {});
  console.log();
  await client.close();
}

async function showTasks(concerns: Concerns<Client>, which: string, filter: TaskListFilter): Promise<void> {
  const { tasks, _meta } = await concerns.listTasks(filter, { by: 'createdAt', direction: 'asc' });
  const found = tasks.map(({ status }) => status).join(', ');
  const meta = JSON.stringify(Object(_meta)[EXTENSION_ID]);
  console.log(
    `   ${which.padEnd(29)} ${found === '' ? 'none' : found}${meta === undefined ? '' : `   _meta: ${meta}`}`,
  );
}

function showDeclaration({ declaration }: Concerns<Client>): void {
  console.log('1. The server declares its concerns when a host connects:\n');
  if (!declaration.declared) throw new Error(`The server declares no concerns (${declaration.reason}).`);
  for (const { name, values, description = '' } of declaration.concerns) {
    const choices = 'min' in values ? `${values.min} to ${values.max}` : values.join(' | ');
    console.log(`   ${name.padEnd(12)} ${choices.padEnd(28)} ${description}`);
  }
}

async function toolNames(concerns: Concerns<Client>): Promise<string[]> {
  return (await concerns.listTools()).tools.map(({ name }) => name);
}

/** Prints tools in columns. `+` marks tools that `before` does not contain; the last line has those that are gone. */
function showTools(
  names: readonly string[],
  all: readonly string[],
  before: readonly string[] = names,
): void {
  const marked = names.map((name) => (before.includes(name) ? `  ${name}` : `+ ${name}`));
  for (let row = 0; row < marked.length; row += 4) {
    const columns = marked.slice(row, row + 4).map((name) => name.padEnd(18));
    console.log(`   ${columns.join(' ').trimEnd()}`);
  }
  const gone = before.filter((name) => !names.includes(name));
  if (gone.length > 0) console.log(`   - ${gone.join(', ')}`);
  console.log(`\n   ${names.length} of ${all.length} tools`);
}

function describe(preferences: HostPreferences): string {
  const entries = Object.entries(preferences).map(([name, value]) => `${name}: ${value}`);
  return `{${entries.join(', ')}}`;
}

function connectionHelp(url: string): string {
  return `The server keeps running until you press Ctrl-C. Connect any MCP host to it:

   all tools        ${url}
   concerns         ${url}?concerns=security:high,cost:minimal
   a preset         ${url}?concerns=safe
   a header         Mcp-Concerns: security=high, cost=minimal
`;
}

await walkthrough(process.argv.includes('--exit'));
