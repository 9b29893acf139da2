import { randomBytes } from 'node:crypto';
import type { ConnectionObserver, InitializedConnection } from '../../core/gate/edge/concerns-options.js';
import type { PanelSession, PanelState } from '../../core/gate/panel/panel-document.js';
import { once } from '../../core/once.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { loadTokenCounter } from '../inputs/token-counter.js';
import { controlChannel } from './channel.js';
import { Hub } from './hub.js';
import type { PageHandler } from './local-page.js';
import { register, registryFolder } from './registry.js';

/** The control channel of this process: its sessions, the page, and its entry in the registry. It does not listen by itself. */
export class Control {
  private readonly folder = registryFolder(process.env);
  private readonly token = randomBytes(32).toString('base64url');
  private readonly closing: (() => void)[] = [];
  private readonly hub: Hub;
  /** Answers requests below `/panel`. */
  readonly fetch: PageHandler;

  /**
   * @param name the server that is served
   * @param policy the files of its policy
   * @param uncalled counts the tools that were never called; left out where calls are not kept
   * @throws {RegistryError} if the folder of the registry cannot be trusted
   * @example
   * const control = new Control('npx -y some-server', ['policy.yaml']);
   */
  constructor(
    private readonly name: string,
    private readonly policy: readonly string[],
    uncalled?: (tools: readonly string[]) => PanelState['uncalled'],
  ) {
    this.hub = new Hub(
      once(async () => billedBy(await loadTokenCounter())),
      uncalled,
    );
    this.fetch = controlChannel(this.hub, this.token);
  }

  /** Returns the function that the gate calls for each connection. */
  observerOf(via: PanelSession['via']): (initialized: InitializedConnection) => ConnectionObserver {
    return this.hub.observerOf(via);
  }

  /** Registers the process at an address that it listens on, and returns the address of the page, with its key. */
  announce(address: string): string {
    const { origin } = new URL(address);
    const { name, policy, token } = this;
    const started = new Date().toISOString();
    const { pid } = process;
    const entry = { format: 1, pid, url: origin, token, name, policy, cwd: process.cwd(), started } as const;
    this.closing.push(register(this.folder, entry));
    return `${origin}/panel#token=${token}`;
  }

  /** Listens on a port of its own, and registers the process there. */
  async listen(): Promise<void> {
    const elsewhere = async (): Promise<Response> =>
      new Response('Not found: use /panel.\n', { status: 404 });
    const { listenLocally } = await import('../../core/http/local.js');
    const { url, close } = await listenLocally(elsewhere, { beside: this.fetch });
    this.closing.push(() => void close());
    this.announce(url);
  }

  /** Ends what listens, and removes the entry. */
  close(): void {
    for (const close of this.closing) close();
  }
}
