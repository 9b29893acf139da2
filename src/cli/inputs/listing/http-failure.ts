import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { read } from '../../../wire/messages.js';
import { type Failure, shorten } from './failure.js';

/**
 * Describes a failure that only a server over Streamable HTTP can have.
 *
 * @param failure what happened
 * @returns the message; `undefined` if HTTP tells nothing more
 */
export function httpFailure({ server, cause, lastMethod, over }: Failure): string | undefined {
  if (over !== undefined) return undefined;
  if (cause instanceof StreamableHTTPError) return `${server} ${refusal(cause, lastMethod)}`;
  if (cause instanceof SyntaxError) return `${server} answered ${lastMethod} with text that is not JSON.`;
  if (cause instanceof TypeError) return `${server} cannot be reached: ${unreachable(cause)}.`;
  return undefined;
}

function refusal({ code = -1, message }: StreamableHTTPError, lastMethod: string): string {
  if (code === -1) {
    const type = /Unexpected content type: (.*)$/.exec(message)?.[1];
    const what = type === undefined || type === 'null' ? 'no content type' : shorten(type);
    return `answered ${lastMethod} with ${what}, which is not an MCP answer. Check that the URL is its MCP endpoint.`;
  }
  const reason = reasonIn(message);
  const words = reason === '' ? '' : ` (${shorten(reason)})`;
  if (code === 401 || code === 403) {
    return `refused ${lastMethod} with HTTP ${code}${words}. Pass credentials, for example --header 'Authorization: Bearer TOKEN'.`;
  }
  const hint = [301, 302, 307, 308, 404, 405].includes(code)
    ? '. Check that the URL is its MCP endpoint, over Streamable HTTP.'
    : '.';
  return `answered ${lastMethod} with HTTP ${code}${words}${hint}`;
}

/**
 * @returns the reason in a response body: the message of a JSON-RPC error, alone or in a list, or the first line of a text
 * that is not HTML; empty if there is none
 */
function reasonIn(message: string): string {
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

/** `fetch` puts the reason into `cause`: one error, or one for each address of a host name. */
function unreachable(cause: TypeError): string {
  const reason: unknown = cause.cause;
  const one = reason instanceof AggregateError ? reason.errors[0] : reason;
  const code = read(one, 'code');
  if (code === 'ECONNREFUSED') return 'nothing listens at this address';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'it closed the connection';
  if (typeof code === 'string' && /CERT|SSL|TLS/.test(code))
    return `its certificate is not trusted (${code})`;
  if (typeof code === 'string') return code;
  const message = one instanceof Error ? one.message : cause.message;
  return shorten(message).replace(/\.$/, '');
}
