import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { UpstreamError } from '../../../proxy/upstream-error.js';
import type { CodeListener } from './code-listener.js';
import type { KeptLogin } from './login-file.js';

/** Opens an address in the browser of the person, or says it. */
export type OpenAddress = (address: URL) => Promise<void>;

/** What `auth` of the SDK needs for one login: what is kept, the port for the code, and the browser. */
export class Registration implements OAuthClientProvider {
  private verifier = '';

  constructor(
    private kept: KeptLogin,
    private readonly listener: Pick<CodeListener, 'redirect' | 'state'>,
    private readonly open: OpenAddress,
    private readonly keep: (kept: KeptLogin) => void,
  ) {}

  get redirectUrl(): string {
    return this.listener.redirect;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      redirect_uris: [this.redirectUrl],
      client_name: 'mcp-concerns',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.listener.state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    const { client, redirect, tokens } = this.kept;
    // The port of the last login is taken. Not every issuer accepts any port, so this program registers again.
    const isElsewhere = redirect !== this.redirectUrl && tokens?.refresh_token === undefined;
    return isElsewhere ? undefined : client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    // The SDK also saves a registration after a refresh: it still names the former address.
    const isSame = client.client_id === this.kept.client?.client_id;
    this.update({ client, redirect: isSame ? this.kept.redirect : this.redirectUrl });
  }

  tokens(): OAuthTokens | undefined {
    return this.kept.tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.update({ tokens });
  }

  async redirectToAuthorization(address: URL): Promise<void> {
    // A server names its issuer: it must not make the browser open a file or a program.
    const isSecure =
      address.protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
    if (!isSecure || !address.protocol.startsWith('http'))
      throw new UpstreamError('it demands a login, and the address of its issuer is not https');
    await this.open(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.update({ client: undefined, redirect: undefined });
    if (scope === 'all' || scope === 'tokens') this.update({ tokens: undefined });
  }

  private update(change: KeptLogin): void {
    this.kept = { ...this.kept, ...change };
    this.keep(this.kept);
  }
}
