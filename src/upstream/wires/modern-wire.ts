import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { encodeHeader } from '../../http/header-value.js';
import type { HttpRefusal } from '../../http/upstream-server.js';
import { deferred } from '../../once.js';
import { fromSdk, isResponse, type Message, PROTOCOL_VERSION_META, read } from '../../wire/messages.js';
import { abortSignalOf, type CallSignal } from '../call.js';
import { MODERN_VERSION } from '../eras/envelope.js';
import { httpFailure, UpstreamError } from '../upstream-error.js';
import { watchBody } from './watch-body.js';
import type { Wire, WireOptions } from './wire.js';

/** Which parameter the header `Mcp-Name` repeats (streamable-http, "Standard Request Headers"). */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['groups/get', 'name'],
]);

/**
 * A server of 2026-07-28 over Streamable HTTP: each request is a POST. Its response has what belongs to the request, and
 * its end cancels the request.
 */
export class ModernWire implements Wire {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly cancelsBySignal = true;
  readonly ended = undefined;
  private readonly gate = new PauseGate();
  private readonly life = new AbortController();

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly reach: FetchLike,
  ) {}

  async start(): Promise<void> {}

  async send(sent: JSONRPCMessage, { signal, headers, received }: WireOptions = {}): Promise<void> {
    const message = fromSdk(sent);
    const signals = signal === undefined ? [this.life.signal] : [abortSignalOf(signal), this.life.signal];
    const response = await this.post(message, headers, AbortSignal.any(signals));
    if (!('id' in message) || isResponse(message)) return void (await response.body?.cancel());
    let isAnswered = false;
    const ending = 'its response ended before the answer';
    const body = watchBody(response, { waits: () => this.gate.over, ended: () => undefined });
    const refused = refusalOf(response);
    try {
      for await (const part of messagesOf(body)) {
        isAnswered ||= isResponse(part) && part.id === message.id;
        // The body of a refusal about the caller would hide the status.
        if (!isResponse(part) || !isAboutCaller(refused.status)) received?.(part);
      }
    } catch (cause) {
      if (this.isOver(signal)) return;
      if (cause instanceof UpstreamError) throw cause;
      if (response.ok) throw new UpstreamError(ending, { isDelivered: true }, { cause });
    }
    if (this.isOver(signal) || (isAnswered && !isAboutCaller(refused.status))) return;
    if (response.ok) throw new UpstreamError(ending, { isDelivered: true });
    throw httpFailure(refused);
  }

  pause(isPaused: boolean): void {
    this.gate.pause(isPaused);
  }

  async close(): Promise<void> {
    this.gate.pause(false);
    this.life.abort();
    this.onclose?.();
  }

  private isOver(signal: CallSignal | undefined): boolean {
    return this.life.signal.aborted || signal?.aborted === true;
  }

  private post(
    message: Message,
    given: Readonly<Record<string, string>> | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const method = 'method' in message ? message.method : '';
    const version = read(message, 'params', '_meta', PROTOCOL_VERSION_META);
    const name = read(message, 'params', NAMES.get(method) ?? '');
    const headers = {
      ...this.headers,
      ...given,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': typeof version === 'string' ? version : MODERN_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
    };
    return this.reach(this.url, { method: 'POST', body: JSON.stringify(message), headers, signal });
  }
}

/** 401 and 403 tell what the caller lacks, 5xx that the server has failed. */
const isAboutCaller = (status: number): boolean => status === 401 || status === 403 || status >= 500;

/** @returns the value of a header that repeats a value of the body, encoded only if it must be */
export const headerText = (value: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
    ? value
    : encodeHeader(value);

/** @returns the status of a response, and what callers must send to be accepted */
export function refusalOf({ status, headers }: Response): HttpRefusal {
  const challenge = headers.get('www-authenticate') ?? undefined;
  return { status, challenge };
}

/** Reads the JSON-RPC messages of a response as they arrive. Throws a SyntaxError for any other text. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) {
    const text = await response.text();
    if (text !== '') yield JSON.parse(text);
    return;
  }
  if (response.body === null) return;
  // Imported here, because the first list of a process does not need it.
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const text = response.body.pipeThrough(new TextDecoderStream());
  for await (const { data } of text.pipeThrough(new EventSourceParserStream())) {
    if (data !== '') yield JSON.parse(data);
  }
}

/** What waits until a wire may be read again. */
export class PauseGate {
  private paused: ReturnType<typeof deferred<void>> | undefined;

  /** Resolves when reading goes on; `undefined` while nothing waits. */
  get over(): Promise<void> | undefined {
    return this.paused?.promise;
  }

  pause(isPaused: boolean): void {
    if (isPaused === (this.paused !== undefined)) return;
    this.paused?.resolve();
    this.paused = isPaused ? deferred() : undefined;
  }
}
