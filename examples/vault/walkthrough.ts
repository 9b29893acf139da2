import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMemoryStore, EXTENSION_ID } from 'mcp-concerns';
import { type LocalEndpoint, serveLocally } from 'mcp-concerns/http';
import { loadPolicy } from 'mcp-concerns/policy';
import { createVaultServer } from './server.js';

/** Starts the endpoint, shows with a real SDK client what a host would see, and goes on serving unless told `--exit`. */
async function walkthrough(exit: boolean): Promise<void> {
  const policy = loadPolicy(fileURLToPath(new URL('../../policies/vault.yaml', import.meta.url)));
  const endpoint = await serveLocally({
    server: () => createVaultServer(),
    policy,
    store: createMemoryStore(),
  });
  console.log(`\nThe demo vault is served at ${endpoint.url}, under policies/vault.yaml.\n`);
  await showWhatHostsSee(endpoint);

  if (exit) return endpoint.close();
  console.log(connectionHelp(endpoint.url));
  process.once('SIGINT', () => void endpoint.close());
  process.once('SIGTERM', () => void endpoint.close());
}

async function showWhatHostsSee({ url }: LocalEndpoint): Promise<void> {
  const plain = await connect(url);
  const declared = plain.getServerCapabilities()?.extensions?.[EXTENSION_ID];
  console.log('1. The server declares its concerns when a host connects:\n');
  const { concerns } = declared as { concerns: { name: string; values: string[]; description?: string }[] };
  for (const concern of concerns) {
    console.log(
      `   ${concern.name.padEnd(12)} ${concern.values.join(' | ').padEnd(28)} ${concern.description ?? ''}`,
    );
  }
  console.log('\n2. A host that says nothing of concerns gets the full list:\n');
  const all = await toolNames(plain);
  print(all, all);
  await plain.close();

  const first = { security: 'high', cost: 'minimal' };
  console.log(`\n3. A host that says ${say(first)} with "initialized" gets this:\n`);
  const host = await connect(url, first);
  const filtered = await toolNames(host);
  print(filtered, all);

  const second = { security: 'high', cost: 'moderate' };
  console.log(`\n4. It changes its mind with updateConcerns ${say(second)}:\n`);
  await host.request({ method: 'updateConcerns', params: { concerns: second } }, ResultSchema);
  const updated = await toolNames(host);
  print(updated, all, filtered);
  console.log();
  await host.close();
}

/** Connects an SDK client; its `initialized` carries concerns, as the proposal recommends, if there are any. */
async function connect(url: string, concerns?: object): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    'method' in message && message.method === 'notifications/initialized' && concerns !== undefined
      ? send({ ...message, params: { concerns } }, options)
      : send(message, options);
  const client = new Client({ name: 'walkthrough', version: '1.0.0' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Prints names in columns; `+` marks what was not there before. */
function print(names: readonly string[], all: readonly string[], before: readonly string[] = names): void {
  const marked = names.map((name) => (before.includes(name) ? `  ${name}` : `+ ${name}`));
  for (let row = 0; row < marked.length; row += 4) {
    console.log(
      `   ${marked
        .slice(row, row + 4)
        .map((name) => name.padEnd(18))
        .join(' ')
        .trimEnd()}`,
    );
  }
  const gone = before.filter((name) => !names.includes(name));
  if (gone.length > 0) console.log(`   - ${gone.join(', ')}`);
  console.log(`\n   ${names.length} of ${all.length} tools`);
}

function say(concerns: Record<string, string>): string {
  return `{${Object.entries(concerns)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')}}`;
}

function connectionHelp(url: string): string {
  return `It goes on serving until you press Ctrl-C. Connect any MCP host, also one that knows nothing of concerns:

   URL              ${url}
   with concerns    ${url}?concerns=security:high,cost:minimal
   with a preset    ${url}?concerns=safe
   with a header    Mcp-Concerns: security=high, cost=minimal
`;
}

await walkthrough(process.argv.includes('--exit'));
