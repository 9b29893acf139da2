import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export type HostEra = 'legacy' | 'modern';

/** How a host reaches the endpoint: the URL of one, or the command that it starts. */
export type Front = { readonly url: string } | { readonly command: readonly string[] };

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const WAIT_MS = 15_000;

/** One host with a connection, and what it was told. */
interface Host {
  readonly client: Client;
  readonly era: HostEra;
  readonly logs: string[];
  changes: number;
}

async function connect(era: HostEra, front: Front): Promise<Host> {
  const logs: string[] = [];
  const host = { changes: 0 };
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      listChanged: { tools: { autoRefresh: false, onChanged: () => void host.changes++ } },
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { color: 'blue' },
  }));
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(String(params.data)));
  const transport =
    'url' in front
      ? new StreamableHTTPClientTransport(new URL(front.url))
      : new StdioClientTransport({
          command: front.command[0] ?? '',
          args: front.command.slice(1),
          stderr: 'ignore',
        });
  await client.connect(transport);
  if (era === 'legacy') await client.setLoggingLevel('debug').catch(() => undefined);
  return Object.assign(host, { client, era, logs });
}

async function call({ client }: Host, name: string, given: object = {}): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: {}, ...given });
  const [first] = content as { text?: string }[];
  return isError === true ? `error: ${first?.text}` : String(first?.text);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + WAIT_MS;
  while (performance.now() < end) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const NAMES = ['hello', 'progress', 'wait', 'cancelled', 'log', 'ask', 'change'];

/** What must work for a host, whatever the server speaks. The policy hides the tool `hidden`, and is enforced. */
export const CHECKS: Readonly<Record<string, (host: Host) => Promise<boolean>>> = {
  'connects and learns the name of the server': async ({ client }) =>
    /-server$/.test(client.getServerVersion()?.name ?? ''),
  'lists what the policy shows': async ({ client }) => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    return JSON.stringify(names.toSorted()) === JSON.stringify(NAMES.toSorted());
  },
  'calls a tool': async (host) => (await call(host, 'hello')) === 'hello',
  'gets progress': async ({ client }) => {
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
    await client.callTool({ name: 'progress', arguments: {} }, { onprogress });
    return JSON.stringify(steps) === '[1,2,3]';
  },
  'cancels a call at the server': async (host) => {
    const before = Number(await call(host, 'cancelled'));
    const controller = new AbortController();
    const waiting = host.client.callTool({ name: 'wait', arguments: {} }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    const isCancelled = await waiting.then(
      () => false,
      () => true,
    );
    return isCancelled && until(async () => Number(await call(host, 'cancelled')) > before);
  },
  'answers a question of the server': async (host) => (await call(host, 'ask')) === 'blue',
  'gets the log that it asked for': async (host) => {
    await call(host, 'log', host.era === 'modern' ? { _meta: { [LOG_LEVEL]: 'info' } } : {});
    return until(() => host.logs.includes('a line of the log'));
  },
  'hears of a changed list': async (host) => {
    const before = host.changes;
    await call(host, 'change');
    return until(() => host.changes > before);
  },
  'gets the same error for a hidden name as for an unknown one': async (host) => {
    const attempt = (name: string) =>
      host.client.callTool({ name, arguments: {} }).then(
        (result) => JSON.stringify(result).replaceAll(name, 'NAME'),
        (error: Error) => error.message.replaceAll(name, 'NAME'),
      );
    const [hidden, unknown] = [await attempt('hidden'), await attempt('absent')];
    const missing = await host.client.readResource({ uri: 'test://absent' }).then(
      () => undefined,
      (error: { code?: number }) => error.code,
    );
    const code = host.era === 'modern' ? [-32602] : [-32602, -32002];
    return hidden === unknown && !hidden.includes('secret') && code.includes(Number(missing));
  },
};

/** Runs every check with one host. Returns the checks that fail, each with its error. */
export async function failures(era: HostEra, front: Front): Promise<string[]> {
  const failed: string[] = [];
  let host: Host;
  try {
    host = await connect(era, front);
  } catch (cause) {
    return Object.keys(CHECKS).map((name) => `${name}: ${cause}`);
  }
  for (const [name, check] of Object.entries(CHECKS)) {
    const outcome = await check(host).catch((cause: unknown) => String(cause));
    if (outcome !== true) failed.push(outcome === false ? name : `${name}: ${outcome}`);
  }
  await host.client.close();
  return failed;
}
