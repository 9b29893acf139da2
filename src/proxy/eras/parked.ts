import type { CallAnswer } from '../../core/wire/calls.js';
import { ERRORS, membersOf, QUESTIONS, read, refusal } from '../../core/wire/messages.js';
import { type AnswerOverHttp, type Ask, CANCELLED, paramsOf, type ServerCall } from '../call.js';
import type { Caller } from '../link.js';

/** Milliseconds that a call waits for the answer of a person. */
const PARKED_MS = 10 * 60_000;
/** Calls that wait at once. Each keeps its connection to the server. */
const MAX_PARKED = 16;
/** Requests that may end with questions (MCP 2026-07-28, patterns/mrtr). */
const MAY_ASK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** The capability of clients that each question needs. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map(Object.entries(QUESTIONS));

const EXPIRED =
  'The question that this request answers has expired, or belongs to another request. Send the request again without requestState.';

/**
 * The calls of a legacy server that wait for answers, between two requests of a modern client. The call stays open, and
 * is never sent again: it may have had effects before it asked. This needs one process that lives longer than a call.
 */
export class ParkedCalls {
  private readonly calls = new Map<string, OpenCall>();

  /** @param isPossible whether this process lives long enough */
  constructor(readonly isPossible: boolean) {}

  /**
   * Sends a request that may end with questions.
   *
   * @param caller who sent it
   * @param call the request
   * @param send sends it to the server
   * @returns the answer, or the questions of the server with a `requestState`
   */
  run(
    caller: Caller,
    call: ServerCall,
    send: (call: ServerCall) => Promise<AnswerOverHttp>,
  ): Promise<AnswerOverHttp> {
    if (!this.isPossible || !MAY_ASK.has(call.method)) return send(call);
    return this.round(new OpenCall(caller, call, send, () => this.calls.size < MAX_PARKED), call);
  }

  /**
   * Continues the call that a request answers questions of.
   *
   * @returns `undefined` if the request answers none
   */
  resume(caller: Caller, call: ServerCall): Promise<AnswerOverHttp> | undefined {
    const state = read(call.params, 'requestState');
    if (state === undefined) return undefined;
    const parked = typeof state === 'string' ? this.calls.get(state) : undefined;
    if (parked === undefined || !parked.belongsTo(caller, call))
      return Promise.resolve(refusal(ERRORS.invalidParams, EXPIRED));
    // From now on the state is unknown, so that of two requests with it only one wins.
    this.calls.delete(String(state));
    parked.answer(read(call.params, 'inputResponses'));
    return this.round(parked, call);
  }

  close(): void {
    for (const parked of this.calls.values()) parked.end();
    this.calls.clear();
  }

  private async round(open: OpenCall, call: ServerCall): Promise<AnswerOverHttp> {
    const asked = await open.next(call);
    if (!('questions' in asked)) return asked;
    const requestState = crypto.randomUUID();
    this.calls.set(requestState, open);
    const expired = (): void => {
      this.calls.delete(requestState);
      open.end();
    };
    open.timer = setTimeout(expired, PARKED_MS).unref();
    return { result: { resultType: 'input_required', inputRequests: asked.questions, requestState } };
  }
}

interface Question {
  readonly request: { readonly method: string; readonly params?: object };
  readonly answered: (answer: CallAnswer) => void;
}

/** One call of a server that stays open while its client is asked. */
class OpenCall {
  private readonly life = new AbortController();
  private readonly questions = new Map<string, Question>();
  private readonly what: string;
  /** The answer, once there is one. */
  private over: Promise<AnswerOverHttp> | undefined;
  private wake: () => void = () => undefined;
  private notify: ServerCall['notify'];
  /** Ends the call while it is parked. */
  timer: NodeJS.Timeout | undefined;
  private count = 0;

  constructor(
    private readonly caller: Caller,
    call: ServerCall,
    send: (call: ServerCall) => Promise<AnswerOverHttp>,
    private readonly hasRoom: () => boolean,
  ) {
    this.what = keyOf(call);
    this.notify = call.notify;
    // The first response ends while the call goes on, so the signal of its request must not end the call.
    const { signal } = this.life;
    const notify: ServerCall['notify'] = (method, params) => this.notify(method, params);
    const sent = send({ ...call, signal, notify, ask: (...question) => this.ask(...question) });
    const settled = (): void => {
      this.over = sent;
      this.wake();
    };
    // A call that fails while it is parked fails the request that continues it.
    sent.then(settled, settled);
  }

  /** Whether a request may answer the questions: the same request of the same verified identity. */
  belongsTo({ principal }: Caller, call: ServerCall): boolean {
    return principal === this.caller.principal && keyOf(call) === this.what;
  }

  answer(responses: unknown): void {
    clearTimeout(this.timer);
    for (const [key, { answered }] of this.questions) {
      const result = read(responses, key);
      if (typeof result !== 'object' || result === null) continue;
      this.questions.delete(key);
      answered({ result: { ...result } });
    }
  }

  /** Resolves with the answer, or with the questions that have no answer. */
  async next(call: ServerCall): Promise<AnswerOverHttp | { readonly questions: object }> {
    const { signal } = call;
    this.notify = call.notify;
    const leave = (): void => this.end();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    while (this.over === undefined && this.questions.size === 0 && !this.life.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    signal.removeEventListener('abort', leave);
    this.notify = () => undefined;
    if (this.over !== undefined) return this.over;
    if (this.life.signal.aborted) return CANCELLED;
    return { questions: Object.fromEntries([...this.questions].map(([key, { request }]) => [key, request])) };
  }

  end(): void {
    clearTimeout(this.timer);
    this.life.abort();
    this.wake();
  }

  private ask(...[method, params, taken]: Parameters<Ask>): Promise<AnswerOverHttp> {
    const capability = CAPABILITIES.get(method);
    if (capability === undefined || this.caller.asks[capability] === undefined)
      return Promise.resolve(refusal(ERRORS.methodNotFound, `The client does not support ${method}.`));
    if (!this.hasRoom())
      return Promise.resolve(refusal(ERRORS.internal, 'Too many calls wait for an answer of a person.'));
    const key = `question-${++this.count}`;
    return new Promise((answered) => {
      this.questions.set(key, { request: { method, ...paramsOf(params) }, answered });
      taken.addEventListener('abort', () => this.questions.delete(key), { once: true });
      this.wake();
    });
  }
}

/** The request without what changes from one round to the next. */
function keyOf({ method, params }: ServerCall): string {
  const { name, uri, arguments: given } = membersOf(params);
  return JSON.stringify([method, name, uri, given]);
}
