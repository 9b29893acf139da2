import { setTimeout as sleep } from 'node:timers/promises';
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { requestIdsIn } from '../../http/request-body.js';
import type { HttpRefusal } from '../../http/upstream-server.js';
import { ignore } from '../call.js';
import { ModernWire, PauseGate, refusalOf } from './modern-wire.js';
import { watchBody } from './watch-body.js';
import type { Wire } from './wire.js';
import { withinOrigin } from './within-origin.js';

/** Milliseconds after the end of a response until its request counts as unanswered: the SDK still parses its end. */
const GRACE_MS = 100;
/** The same for a stream with event ids, which the SDK resumes. */
const RESUME_MS = 5000;

/** How long the end of a session may take. */
const TERMINATE_MS = 1000;

/**
 * A transport to a remote server over Streamable HTTP, that of the SDK, which also tells when the response to a request
 * has ended, so that its answer cannot arrive any more.
 */
export class RemoteTransport extends StreamableHTTPClientTransport implements Wire {
  readonly cancelsBySignal = false;
  readonly ended = undefined;
  /** Called some time after the response to a request ended, with or without an answer. */
  onended?: (id: RequestId, reason: string) => void;

  private readonly open = new Set<AbortController>();
  private readonly gate = new PauseGate();
  /** How the server answered the latest request that it refused. The SDK's error does not have the header. */
  private refused: HttpRefusal | undefined;
  private readonly reach: FetchLike;

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
    reach: FetchLike = globalThis.fetch,
  ) {
    const reachOwn = withinOrigin(reach);
    const fetch: StreamableHTTPClientTransportOptions['fetch'] = async (input, init) => {
      const id = requestIdIn(init?.body);
      // The SDK gives all requests one signal, on which each of them leaves a listener.
      const controller = new AbortController();
      this.open.add(controller);
      const response = await reachOwn(input, { ...init, signal: controller.signal }).catch((cause) => {
        this.open.delete(controller);
        throw cause;
      });
      this.refused = response.ok ? undefined : refusalOf(response);
      return watchBody(response, {
        waits: () => this.gate.over,
        ended: (isResumable, reason = 'its response ended before the answer') => {
          const gone = (): unknown => this.open.delete(controller);
          if (id === undefined || !response.ok) return gone();
          const over = (): void => this.onended?.(id, reason);
          const { signal } = controller;
          sleep(isResumable ? RESUME_MS : GRACE_MS, undefined, { signal })
            .then(over, ignore)
            .finally(gone);
        },
      });
    };
    super(url, { requestInit: { headers }, fetch });
    this.reach = reachOwn;
  }

  /** The same server, spoken to in the modern era. */
  modern(): Wire {
    return new ModernWire(this.url, this.headers, this.reach);
  }

  override async send(...given: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
    try {
      await super.send(...given);
    } catch (cause) {
      const { refused } = this;
      if (refused === undefined || !(cause instanceof Error)) throw cause;
      throw Object.assign(cause, { http: refused });
    }
  }

  /** Stops reading responses, so that the server has to wait. */
  pause(isPaused: boolean): void {
    this.gate.pause(isPaused);
  }

  override async close(): Promise<void> {
    this.pause(false);
    for (const controller of this.open) controller.abort();
    // The server keeps the session until it is told. A server that does not answer must not delay the end.
    const ended = this.terminateSession().catch(ignore);
    await Promise.race([ended, sleep(TERMINATE_MS, undefined, { ref: false })]);
    await super.close();
  }
}

/**
 * Creates a transport to a remote server over Streamable HTTP.
 *
 * @param url the URL of the server
 * @param headers headers that each request gets, for example `Authorization`
 * @returns the transport, not started
 * @example
 * const upstream = shareUpstream(() => remoteTransport('https://mcp.example/mcp'));
 */
export function remoteTransport(url: string, headers: Readonly<Record<string, string>> = {}): Transport {
  return new RemoteTransport(new URL(url), headers);
}

function requestIdIn(body: unknown): RequestId | undefined {
  return typeof body === 'string' ? requestIdsIn(JSON.parse(body))[0] : undefined;
}
