import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sameSecret } from '../../../core/http/same-secret.js';
import { deferred } from '../../../core/once.js';
import { UpstreamError } from '../../../proxy/upstream-error.js';

const PATH = '/login';
/** How long a person may take to sign in. */
const PERSON_MS = 5 * 60_000;

/**
 * Waits on a port of this machine for the browser, which an issuer sends back with a code (RFC 8252, 7.3). Nobody else can
 * complete the login: the request must have the state of the address that was opened.
 */
export class CodeListener {
  /** What the browser must bring back. */
  readonly state: string = randomBytes(24).toString('base64url');
  private readonly found = deferred<{ readonly code: string } | { readonly cause: unknown }>();
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly server: Server,
    /** Where the issuer sends the browser. */
    readonly redirect: string,
  ) {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', redirect);
      const isOurs = pathname === PATH && sameSecret(searchParams.get('state') ?? '', this.state);
      const code = searchParams.get('code');
      const text = !isOurs ? STRANGE : code === null ? REFUSED : SIGNED_IN;
      response.writeHead(isOurs ? 200 : 404, HEADERS).end(text);
      if (!isOurs) return;
      if (code !== null) this.found.resolve({ code });
      else this.found.resolve({ cause: new UpstreamError('it demands a login, and the login was refused') });
    });
  }

  /**
   * @param preferred where the issuer sent the browser before: an issuer may accept only addresses that it knows
   * @returns listens there, or on another port if that is taken
   */
  static async open(preferred: string | undefined): Promise<CodeListener> {
    const server = createServer();
    const listen = async (port: number): Promise<void> => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    };
    const port = preferred === undefined || !URL.canParse(preferred) ? 0 : Number(new URL(preferred).port);
    await listen(port).catch(() => listen(0));
    // A process that has nothing else to do does not stay for the browser.
    server.unref();
    return new CodeListener(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`);
  }

  /**
   * @param signal aborts the wait
   * @returns the code, once the person has signed in
   * @throws {UpstreamError} if the person refuses, or does not sign in for five minutes
   */
  async code(signal: AbortSignal): Promise<string> {
    this.timer = setTimeout(() => this.found.resolve({ cause: new UpstreamError(LATE) }), PERSON_MS);
    this.timer.unref();
    const aborted = (): void => this.found.resolve({ cause: signal.reason });
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    const found = await this.found.promise;
    if ('cause' in found) throw found.cause;
    return found.code;
  }

  close(): void {
    clearTimeout(this.timer);
    this.server.close();
    this.server.closeAllConnections();
  }
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};
const SIGNED_IN = 'You have signed in. You can close this page.\n';
const REFUSED = 'The login was refused. You can close this page.\n';
const STRANGE = 'This address is for the end of a login that was begun here.\n';
const LATE = 'it demands a login, and nobody has signed in for five minutes';
