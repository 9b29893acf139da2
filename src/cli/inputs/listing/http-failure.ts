import { read } from '../../../core/wire/messages.js';
import { type RefusedBody, UpstreamError } from '../../../proxy/upstream-error.js';
import { type Failure, shorten } from './failure.js';

/**
 * Describes a failure that only a server over Streamable HTTP can have.
 *
 * @param failure what happened
 * @returns the message; `undefined` if HTTP tells nothing more
 */
export function httpFailure({ server, cause, lastMethod, over, advice }: Failure): string | undefined {
  if (over !== undefined) return undefined;
  if (cause instanceof UpstreamError) return `${server} ${refusal(cause, lastMethod)}`;
  if (cause instanceof TypeError)
    return [`${server} cannot be reached: ${unreachable(cause)}.`, advice ?? ''].join(' ').trim();
  return undefined;
}

function refusal({ failure, message, cause }: UpstreamError, lastMethod: string): string {
  const { http, body } = failure;
  if (http !== undefined) return refusedStatus(http.status, body, lastMethod);
  if (body === undefined) return `${message.replace(/^it /, '')}.`;
  if (!isOfMcp(body.type)) {
    const what = body.type === undefined ? 'no content type' : shorten(body.type);
    return `answered ${lastMethod} with ${what}, which is not an MCP answer. Check that the URL is its MCP endpoint.`;
  }
  if (cause instanceof SyntaxError) return `answered ${lastMethod} with text that is not JSON.`;
  if (body.text !== '') return `answered ${lastMethod} with an invalid MCP message.`;
  return `ended its response to ${lastMethod} before the answer.`;
}

/** The two media types of answers (2025-11-25, basic/transports, "Sending Messages to the Server"). */
const isOfMcp = (type: string | undefined): boolean =>
  type !== undefined && /^(application\/json|text\/event-stream)\b/i.test(type);

function refusedStatus(status: number, body: RefusedBody | undefined, lastMethod: string): string {
  const reason = reasonIn((body?.text ?? '').trim());
  const words = reason === '' ? '' : ` (${shorten(reason)})`;
  if (status === 401 || status === 403) {
    const login = status === 401 ? '--login to sign in, or ' : '';
    return `refused ${lastMethod} with HTTP ${status}${words}. Pass ${login}--header 'Authorization: Bearer TOKEN'.`;
  }
  const hint = [301, 302, 307, 308, 404, 405].includes(status)
    ? '. Check that the URL is its MCP endpoint, over Streamable HTTP.'
    : '.';
  return `answered ${lastMethod} with HTTP ${status}${words}${hint}`;
}

/**
 * @returns the reason in a response body: the message of a JSON-RPC error, alone or in a list, or the first line of a text
 * that is not HTML; empty if there is none
 */
function reasonIn(text: string): string {
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
