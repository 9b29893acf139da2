import { PATIENCE } from '../patience.js';
import { connect, type Front, type Host, type HostKind } from './hosts.js';

/** How long to wait for what cannot come. */
const LOST_MS = 3000;
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

type Until = (isSo: () => boolean | Promise<boolean>) => Promise<boolean>;

const within =
  (ms: number): Until =>
  async (isSo) => {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      if (await isSo()) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  };

const NAMES = ['hello', 'progress', 'wait', 'cancelled', 'log', 'ask', 'ask-twice', 'fail', 'change'];

/** Calls a tool whose name may be hidden or unknown. Its name is left out of what the host gets. */
const attempt = (host: Host, name: string): Promise<string> =>
  host.call(name).then(
    (result) => JSON.stringify(result).replaceAll(name, 'NAME'),
    (error: Error) => error.message.replaceAll(name, 'NAME'),
  );

type Check = (host: Host, until: Until, mode: 'advisory' | 'enforce') => Promise<boolean>;

/** What must work for a host, whatever the server speaks. The policy hides the tool `hidden`. */
export const CHECKS: Readonly<Record<string, Check>> = {
  'lists names': async ({ client }) => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const isNamed = /-server$/.test(client.getServerVersion()?.name ?? '');
    const own = names.filter((name) => !name.startsWith('extra-'));
    return isNamed && JSON.stringify(own.toSorted()) === JSON.stringify(NAMES.toSorted());
  },
  'calls and reads': async (host) => {
    const { messages } = await host.client.getPrompt({ name: 'greet' });
    const { contents } = await host.client.readResource({ uri: 'test://note' });
    const { text } = await host.call('hello');
    return text === 'hello' && messages.length === 1 && JSON.stringify(contents).includes('noted');
  },
  hides: async (host, _until, mode) => {
    const [hidden, unknown] = [await attempt(host, 'hidden'), await attempt(host, 'absent')];
    return mode === 'advisory' ? hidden.includes('secret') : hidden === unknown && !hidden.includes('secret');
  },
  'tells errors': async (host) => {
    const { text, isError } = await host.call('fail');
    const code = await host.client.readResource({ uri: 'test://absent' }).then(
      () => undefined,
      (error: { code?: number }) => error.code,
    );
    const codes = host.isModern ? [-32602] : [-32602, -32002];
    return isError && text === 'it failed' && codes.includes(Number(code));
  },
  'tells progress': async (host) => {
    const steps: number[] = [];
    await host.call('progress', {}, { onprogress: ({ progress }) => void steps.push(progress) });
    return JSON.stringify(steps) === '[1,2,3]';
  },
  logs: async (host, until) => {
    // Before a legacy host has set a level, the server decides.
    if (host.isModern) {
      await host.call('log');
      if (host.logs.length > 0) return false;
    }
    await host.wantLogs();
    await host.call('log', host.isModern ? { _meta: { [LOG_LEVEL]: 'info' } } : {});
    return until(() => host.logs.includes('a line of the log'));
  },
  cancels: async (host, until) => {
    const count = async (): Promise<number> => Number((await host.call('cancelled')).text);
    const before = await count();
    const isCancelled = async (): Promise<boolean> => (await count()) > before;
    // Only the server knows when a call has arrived, so calls that left too early are made again.
    for (let ms = 300; ms < PATIENCE.wait; ms *= 2) {
      const isRefused = await host.call('wait', {}, { signal: AbortSignal.timeout(ms) }).then(
        () => false,
        () => true,
      );
      if (!isRefused) return false;
      if (await isCancelled()) return true;
    }
    return until(isCancelled);
  },
  asks: async (host) => {
    const [once, twice] = [await host.call('ask'), await host.call('ask-twice')];
    return once.text === 'blue' && twice.text === 'blue blue';
  },
  'announces changes': async (host, until) => {
    const before = host.changes;
    await host.call('change');
    return until(() => host.changes > before);
  },
};

/**
 * Runs every check with one host. Returns the checks that fail, each with its error.
 *
 * @param lost the checks that cannot pass; they wait less
 */
export async function failures(
  kind: HostKind,
  front: Front,
  mode: 'advisory' | 'enforce',
  lost: ReadonlySet<string>,
): Promise<string[]> {
  const failed: string[] = [];
  let host: Host;
  try {
    host = await connect(kind, front);
  } catch (cause) {
    return Object.keys(CHECKS).map((name) => `${name}: ${cause}`);
  }
  for (const [name, check] of Object.entries(CHECKS)) {
    const until = within(lost.has(name) ? LOST_MS : PATIENCE.wait);
    const outcome = await check(host, until, mode).catch((cause: unknown) => String(cause));
    if (outcome !== true) failed.push(outcome === false ? name : `${name}: ${outcome}`);
  }
  await host.client.close();
  return failed;
}
