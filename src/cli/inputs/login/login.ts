import { setTimeout as sleep } from 'node:timers/promises';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { UpstreamError } from '../../../proxy/upstream-error.js';
import { withinOrigin } from '../../../proxy/wires/within-origin.js';
import { CodeListener } from './code-listener.js';
import type { KeptLogin, LoginFile } from './login-file.js';
import { type OpenAddress, Registration } from './registration.js';

/** How long a request waits for the person. Hosts give up after 30 s or later, without a reason. */
const WAIT_MS = 20_000;
/** After a login that failed, requests do not open the browser for so long: hosts send many at once, and repeat them. */
const PAUSE_MS = 60_000;
/** How long a document or a token of the issuer may take. */
const ISSUER_MS = 30_000;

type Challenge = ReturnType<typeof extractWWWAuthenticateParams>;

/**
 * The login of one person to one server: sends requests with a token, refreshes it, and opens the browser if the person must
 * sign in. `withOAuth` of the SDK does this for each request alone, so that requests at the same time, and other processes,
 * would each spend the refresh token, which issuers accept once.
 */
export class Login {
  /** Read when it is needed first. */
  private kept: KeptLogin | undefined;
  /** A login that runs: all requests that were refused wait for it. */
  private running: Promise<void> | undefined;
  /** A token that this process got, until the server has accepted it. */
  private untried: string | undefined;
  private failed: { readonly until: number; readonly cause: unknown } | undefined;
  private readonly ended = new AbortController();

  /**
   * @param url the server
   * @param file keeps the login
   * @param open opens the browser
   * @param reach sends a request
   */
  constructor(
    private readonly url: URL,
    private readonly file: LoginFile,
    private readonly open: OpenAddress,
    private readonly reach: FetchLike = globalThis.fetch,
  ) {}

  /**
   * Sends a request with the token. If the server demands a login, it waits for one, and sends the request again: a server
   * that answers 401 has not run it.
   *
   * @throws {UpstreamError} if there is no login, or not yet
   */
  readonly fetch: FetchLike = async (input, init) => {
    const { token } = this;
    const response = await this.send(input, init, token);
    if (response.status !== 401) return response;
    const challenge = extractWWWAuthenticateParams(response);
    await response.body?.cancel();
    if (this.token === token) await this.inTime(this.renew(token, challenge));
    const again = await this.send(input, init, this.token);
    if (again.status !== 401) return again;
    await again.body?.cancel();
    throw new UpstreamError('it refused the token of its login (HTTP 401)', { isRefused: true });
  };

  /**
   * Signs in now if the server demands it, for as long as the person needs.
   *
   * @param signal aborts the wait
   * @throws {UpstreamError} if the person does not sign in, or the issuer does not let this program
   */
  async begin(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.ended.abort(signal.reason), { once: true });
    const { token } = this;
    const asked = withinOrigin((input, init) => this.send(input, init, token));
    // Whoever uses the server says why it cannot be reached.
    const response = await asked(this.url, { ...PING, signal }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status !== 401) return;
    // Nothing else keeps the process while it waits for the person.
    const waiting = setInterval(() => undefined, WAIT_MS);
    await this.renew(token, extractWWWAuthenticateParams(response)).finally(() => clearInterval(waiting));
  }

  private get token(): string | undefined {
    this.kept ??= this.file.read();
    return this.kept.tokens?.access_token;
  }

  private async send(
    input: string | URL,
    init: RequestInit | undefined,
    token: string | undefined,
  ): Promise<Response> {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const response = await this.reach(input, { ...init, headers });
    if (response.status !== 401 && this.untried === token) this.untried = undefined;
    const { error } = response.status === 403 ? extractWWWAuthenticateParams(response) : {};
    if (error !== 'insufficient_scope') return response;
    // The endpoint signs in, so the challenge is not for the host.
    await response.body?.cancel();
    throw new UpstreamError('it demands more rights than its login has (HTTP 403)', { isRefused: true });
  }

  /** Lets requests go on without an answer before their hosts give up. The login goes on. */
  private async inTime(renewed: Promise<void>): Promise<void> {
    const late = await Promise.race([renewed, sleep(WAIT_MS, 'late', { ref: false })]);
    if (late !== undefined) throw new UpstreamError(UNFINISHED, { isRefused: true });
  }

  private renew(refused: string | undefined, challenge: Challenge): Promise<void> {
    if (this.running !== undefined) return this.running;
    if (this.failed !== undefined && performance.now() < this.failed.until)
      return Promise.reject(this.failed.cause);
    this.running = this.signIn(refused, challenge)
      .catch((cause: unknown) => {
        const failure = failureOf(cause);
        this.failed = { until: performance.now() + PAUSE_MS, cause: failure };
        throw failure;
      })
      .finally(() => {
        this.running = undefined;
      });
    this.running.catch(() => undefined);
    return this.running;
  }

  private async signIn(refused: string | undefined, challenge: Challenge): Promise<void> {
    const { signal } = this.ended;
    const unlock = await this.file.lock(signal);
    try {
      const kept = this.file.read();
      this.kept = kept;
      // Another process has signed in meanwhile.
      if (this.token !== undefined && this.token !== refused) return;
      if (this.untried !== undefined && this.untried === refused)
        throw new UpstreamError('it refused the token of its login (HTTP 401)', { isRefused: true });
      const listener = await CodeListener.open(kept.redirect);
      try {
        const registration = new Registration(kept, listener, this.open, (changed) => {
          this.file.write(changed);
          this.kept = changed;
        });
        const { resourceMetadataUrl, scope } = challenge;
        const options = {
          serverUrl: this.url,
          fetchFn: askIssuer,
          ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
          ...(scope === undefined ? {} : { scope }),
        };
        if ((await auth(registration, options)) === 'REDIRECT') {
          const authorizationCode = await listener.code(signal);
          await auth(registration, { ...options, authorizationCode });
        }
        this.untried = this.token;
        this.failed = undefined;
      } finally {
        listener.close();
      }
    } finally {
      unlock();
    }
  }
}

/** A server answers 401 to it before it looks for a session. */
const PING: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 'login', method: 'ping' }),
};

const UNFINISHED = 'it demands a login. Sign in in the browser that was opened, then send the request again';

/** A redirect of a request for a token would bring the refresh token to another address. */
const askIssuer: FetchLike = (input, init) =>
  fetch(input, {
    ...init,
    signal: AbortSignal.timeout(ISSUER_MS),
    redirect: init?.method === 'POST' ? 'error' : 'follow',
  });

/** Clients get the message: it has nothing that an issuer wrote but the code of an error of OAuth. */
function failureOf(cause: unknown): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const isUnknown = cause instanceof Error && /registration/i.test(cause.message);
  const reason = isUnknown
    ? 'its issuer does not let programs register. Pass --header with a token'
    : cause instanceof OAuthError
      ? `its issuer answered ${cause.errorCode.slice(0, 40)}`
      : `it cannot be begun (${cause instanceof Error ? cause.name : 'unknown'})`;
  return new UpstreamError(`it demands a login, and ${reason}`, { isRefused: true }, { cause });
}
