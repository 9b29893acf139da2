import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { read } from '../../protocol/messages/wire.js';
import { plain } from '../terminal/output.js';
import { Conversation, type ConversationOptions, shorten } from './server-conversation.js';
import { type ServerSurface, takeSurface } from './fetch-catalog.js';

/** Milliseconds that a server may take to end its session; it ends by itself later, if it does not. */
const GOODBYE = 1000;

/**
 * Takes the lists of a server over Streamable HTTP.
 *
 * @param url its MCP endpoint
 * @param headers what is sent with every request, credentials for example
 * @param options how long it may take
 * @returns the definitions with every field that the server gave them
 * @throws {CliError} if it cannot be reached, refuses, stays silent or answers what is no answer
 * @example
 * const { tools = [] } = await takeFromUrl(new URL('https://example.com/mcp'), new Headers(), options);
 */
export function takeFromUrl(
  url: URL,
  headers: Headers,
  options: ConversationOptions,
): Promise<ServerSurface> {
  const transport = new PoliteTransport(url, { requestInit: { headers: Object.fromEntries(headers) } });
  // The SDK's own types disagree about `undefined` where exactOptionalPropertyTypes is on.
  return takeSurface(transport as Transport, new Asking(url, options));
}

/** Ends its session when it is closed, as the specification asks of clients. */
class PoliteTransport extends StreamableHTTPClientTransport {
  private left: Promise<void> | undefined;

  override close(): Promise<void> {
    this.left ??= this.leave();
    return this.left;
  }

  private async leave(): Promise<void> {
    const waited = new Promise((resolve) => setTimeout(resolve, GOODBYE).unref());
    const said = this.sessionId === undefined ? undefined : this.terminateSession().catch(() => {});
    await Promise.race([said, waited]);
    await super.close();
  }
}

/** A conversation over HTTP. */
class Asking extends Conversation {
  constructor(url: URL, options: ConversationOptions) {
    // A query may hold a key.
    super(`The server ${plain(url.origin + url.pathname)}`, options);
  }

  protected override explainOwn(cause: unknown): string | undefined {
    const { server, asked } = this;
    if (this.late.signal.aborted) {
      const { seconds } = this.options;
      return `${server} did not answer ${asked} within ${seconds} s; give it longer with --timeout.`;
    }
    if (cause instanceof StreamableHTTPError) return this.refusal(cause);
    if (cause instanceof SyntaxError) return `${server} answered ${asked} with what is no JSON.`;
    if (cause instanceof TypeError) return `${server} cannot be reached: ${unreachable(cause)}.`;
    return undefined;
  }

  private refusal({ code = -1, message }: StreamableHTTPError): string {
    const { server, asked } = this;
    if (code === -1) {
      const type = /Unexpected content type: (.*)$/.exec(message)?.[1];
      const what = type === undefined || type === 'null' ? 'something' : shorten(type);
      return `${server} answered ${asked} with ${what}, not as MCP does; check that the address is its MCP endpoint.`;
    }
    const said = saidIn(message);
    const words = said === '' ? '' : ` (${shorten(said)})`;
    if (code === 401 || code === 403) {
      return `${server} refused ${asked} with ${code}${words}; give credentials, as in --header 'Authorization: Bearer TOKEN'.`;
    }
    const hint = [301, 302, 307, 308, 404, 405].includes(code)
      ? '; check that the address is its MCP endpoint, over Streamable HTTP.'
      : '.';
    return `${server} answered ${asked} with HTTP ${code}${words}${hint}`;
  }
}

/** What a body of HTTP says of an error: a JSON-RPC error, alone or in a list, or a line of text; no pages of HTML. */
function saidIn(message: string): string {
  const text = message.replace(/^Streamable HTTP error: (Error POSTing to endpoint: )?/, '').trim();
  try {
    const data: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(data) ? data[0] : data;
    const found = [read(first, 'error', 'message'), read(first, 'error_description'), read(first, 'message')];
    return found.find((each) => typeof each === 'string') ?? '';
  } catch {
    return text.startsWith('<') ? '' : (text.split('\n', 1)[0] ?? '').replace(/\.$/, '');
  }
}

/** `fetch` hides the reason in `cause`: one error, or one for each address that a name stands for. */
function unreachable(cause: TypeError): string {
  const reason: unknown = cause.cause;
  const one = reason instanceof AggregateError ? reason.errors[0] : reason;
  const code = read(one, 'code');
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'it closed the connection';
  if (typeof code === 'string' && /CERT|SSL|TLS/.test(code))
    return `its certificate is not trusted (${code})`;
  if (typeof code === 'string') return code;
  const message = one instanceof Error ? one.message : cause.message;
  return shorten(message).replace(/\.$/, '');
}
