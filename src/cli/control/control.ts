import { randomBytes } from 'node:crypto';
import type { PanelSession, PanelState } from '../../gate/panel/panel-document.js';
import { once } from '../../once.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { loadTokenCounter } from '../inputs/token-counter.js';
import { controlChannel } from './channel.js';
import { Hub } from './hub.js';
import { register, registryFolder } from './registry.js';

/** The control channel of this process: its sessions, the page, and its entry in the registry. */
export type Control = ReturnType<typeof createControl>;

/**
 * Creates the control channel.
 *
 * @param name the server that is served
 * @param policy the files of its policy
 * @param uncalled counts the tools that were never called; left out where calls are not kept
 * @returns the channel, which does not listen yet
 * @throws {RegistryError} if the folder of the registry cannot be trusted
 * @example
 * const control = createControl('npx -y some-server', ['policy.yaml']);
 */
export function createControl(
  name: string,
  policy: readonly string[],
  uncalled?: (tools: readonly string[]) => PanelState['uncalled'],
) {
  const folder = registryFolder(process.env);
  const hub = new Hub(
    once(async () => billedBy(await loadTokenCounter())),
    uncalled,
  );
  const token = randomBytes(32).toString('base64url');
  const closing: (() => void)[] = [];
  const fetch = controlChannel(hub, token);
  /** Registers the process at an address that it listens on, and returns the address of the page, with its key. */
  const announce = (address: string): string => {
    const { origin } = new URL(address);
    const started = new Date().toISOString();
    const { pid } = process;
    const entry = { format: 1, pid, url: origin, token, name, policy, cwd: process.cwd(), started } as const;
    closing.push(register(folder, entry));
    return `${origin}/panel#token=${token}`;
  };
  return {
    /** Returns the function that the gate calls for each connection. */
    observerOf: (via: PanelSession['via']) => hub.observerOf(via),
    /** Answers requests below `/panel`. */
    fetch,
    announce,
    /** Listens on a port of its own, and registers the process there. */
    async listen(): Promise<void> {
      const elsewhere = async (): Promise<Response> =>
        new Response('Not found: use /panel.\n', { status: 404 });
      const { listenLocally } = await import('../../http/local.js');
      const { url, close } = await listenLocally(elsewhere, { beside: fetch });
      closing.push(() => void close());
      announce(url);
    },
    close: (): void => {
      for (const close of closing) close();
    },
  };
}
