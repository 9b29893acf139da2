import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { TaskCaller } from '../../session/task-owner.js';
import { GATE, type GateLink, gateOf, type V2Transport } from '../../wire/gate-link.js';
import {
  CLIENT_CAPABILITIES_META,
  ERRORS,
  type Era,
  eraOf,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type RequestId,
  read,
} from '../../wire/messages.js';
import type { TaskDefinition } from '../author/definition.js';
import type { Tasks } from '../port/tasks.js';
import { isTaskId } from '../records/owner.js';
import { NOT_FOUND, type WireAnswer, type WireMessage } from '../wire/answer.js';
import { answerLegacy } from '../wire/legacy.js';
import { listTasks } from '../wire/list.js';
import { answerModern } from '../wire/modern.js';
import { isQuestionId, takeResponse } from '../wire/questions.js';
import { callTask, missingCapability, supportsTasks } from '../wire/start.js';
import { callerOf, isHttp } from './caller.js';
import { addTools, declareLegacy, declareModern } from './declare.js';
import { type Subscriber, TaskSubscriptions } from './subscriptions.js';

const PAGE_SIZE = 50;
/** How often a pending `tasks/result` looks at its task, in milliseconds. */
const LOOK = { first: 50, most: 1000 };

interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
  readonly caller: TaskCaller;
  /** Whether the gate in front shows a tool to the sender. */
  readonly shows: (tool: string) => Promise<boolean>;
  readonly era: Era;
  /** Who is told of tasks later on; `undefined` for a connection that ends with this request. */
  readonly subscriber: Subscriber | undefined;
}

/** How to change the server's answer to a request. */
interface Change {
  readonly result?: (result: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** The answer if the server does not know the method. */
  readonly withoutMethod?: { readonly result: object } | { readonly error: object };
}

/** The list of a server that has no tools of its own, and does not know the method. */
const NO_TOOLS = {
  legacy: { tools: [] },
  modern: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
} as const;

/** Answers the messages about tasks before the server sees them, and adds the tools of tasks to its answers. */
export class TaskTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private readonly connection = randomUUID();
  /** How to change the server's answer to a request. */
  private readonly changes = new Map<unknown, Change>();
  /** Requests that wait for the end of a task. */
  private readonly waiting = new Set<unknown>();
  private readonly subscriptions: TaskSubscriptions;
  /** The gate in the transport. Without one, it is `ungated`. */
  private readonly gate: GateLink;
  private capabilities: unknown;
  private initialized = false;

  constructor(
    private readonly inner: Transport,
    private readonly tasks: Tasks,
  ) {
    this.gate = gateOf(inner);
    this.subscriptions = new TaskSubscriptions(tasks, (message, relatedTo) => this.write(message, relatedTo));
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    (this.inner as V2Transport).setSupportedProtocolVersions?.(versions);
  }

  get hasPerRequestStream(): boolean | undefined {
    return (this.inner as V2Transport).hasPerRequestStream;
  }

  start(): Promise<void> {
    const { inner } = this;
    inner.onclose = () => {
      this.waiting.clear();
      this.subscriptions.close();
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => {
      if (!this.takes(message, extra)) this.onmessage?.(message, extra);
    };
    this.gate.listTasksWith({
      tools: [...this.tasks.definitions.keys()],
      list: async (query, extra) => {
        const caller = this.callerOf(extra as MessageExtraInfo | undefined);
        try {
          return await listTasks(this.tasks, { ...query, caller });
        } catch (cause) {
          this.failed(cause);
          throw cause;
        }
      },
    });
    return inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const id = read(message, 'id');
    const change = 'method' in message ? undefined : this.changes.get(id);
    this.changes.delete(id);
    if (change === undefined) return this.inner.send(message, options);
    const { result = (given) => given, withoutMethod } = change;
    if ('result' in message) {
      return this.inner.send({ ...message, result: { ...result(message.result) } }, options);
    }
    const isUnknown = read(message, 'error', 'code') === ERRORS.methodNotFound;
    if (!isUnknown || withoutMethod === undefined) return this.inner.send(message, options);
    return this.inner.send({ jsonrpc: '2.0', id, ...withoutMethod } as JSONRPCMessage, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private callerOf(extra: MessageExtraInfo | undefined): TaskCaller {
    return callerOf(extra, { id: this.inner.sessionId, connection: this.connection });
  }

  /** Returns whether a message is about tasks. Then it is answered here. */
  private takes(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): boolean {
    const caller = this.callerOf(extra);
    const { gate } = this;
    const given = message as Message;
    // At each message: a policy or a preference can hide a tool after its task started.
    const shows = (tool: string) => gate.showsTool(tool, given, extra);
    if (isResponse(given)) {
      if (!isQuestionId(given.id)) return false;
      const taking = takeResponse(this.tasks, { caller, shows }, given);
      // Over HTTP, the process may stop and the server may close with the response to this message.
      gate.waitFor(taking);
      this.attempt(taking);
      return true;
    }
    if (!isRequest(given)) {
      if (read(given, 'method') === METHODS.cancelled) {
        this.waiting.delete(read(given, 'params', 'requestId'));
        this.subscriptions.cancel(read(given, 'params', 'requestId'));
      }
      return false;
    }
    const { id, method, params } = given;
    const era = this.initialized ? 'legacy' : eraOf(given);
    // Later on, the policy in force then decides, and not that of this request.
    const showsLater = (tool: string) => gate.showsTool(tool, { ...given, id: randomUUID() }, extra);
    const subscriber = isHttp(extra) ? undefined : { caller, shows: showsLater };
    const request: Request = { id, method, params, caller, shows, era, subscriber };
    const answer = this.answer(
      request,
      era === 'modern' ? read(params, '_meta', CLIENT_CAPABILITIES_META) : this.capabilities,
    );
    if (answer === undefined) return false;
    this.attempt(this.respond(request, answer));
    return true;
  }

  /** Returns the answer to a request; `undefined` if the server answers it. */
  private answer(request: Request, capabilities: unknown): Promise<WireAnswer | undefined> | undefined {
    const { id, method, params, caller, shows, era } = request;
    const { tasks } = this;
    switch (method) {
      case 'initialize':
        this.initialized = true;
        this.capabilities = read(params, 'capabilities') ?? {};
        this.changes.set(id, { result: declareLegacy });
        return undefined;
      case 'server/discover':
        this.changes.set(id, { result: declareModern });
        return undefined;
      case 'tools/list': {
        const reader = { era, supportsTasks: supportsTasks(capabilities), isGate: GATE in this.inner };
        this.changes.set(id, {
          result: (result) => addTools(result, tasks.definitions, reader),
          withoutMethod: { result: addTools(NO_TOOLS[era], tasks.definitions, reader) },
        });
        return undefined;
      }
      case 'tools/call': {
        const definition = tasks.definitions.get(String(read(params, 'name')));
        return definition && this.call(definition, request, capabilities);
      }
      case 'subscriptions/listen':
        return this.listen(request, capabilities);
      case 'tasks/list':
        return era === 'legacy' ? this.list(request) : undefined;
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
      case 'tasks/result': {
        // The server may have tasks of its own, whose ids look different.
        if (!isTaskId(read(params, 'taskId'))) {
          if (era === 'modern' && !supportsTasks(capabilities)) return Promise.resolve(missingCapability());
          // The modern era has no such method.
          if (era === 'modern' && method === 'tasks/result') return undefined;
          this.changes.set(id, { withoutMethod: { error: errorOf(NOT_FOUND) } });
          return undefined;
        }
        return era === 'modern'
          ? answerModern(tasks, { caller, method, params, shows, capabilities })
          : answerLegacy(tasks, { caller, method, params, shows, id });
      }
      default:
        return undefined;
    }
  }

  private async call(
    definition: TaskDefinition,
    { era, caller, params }: Request,
    declared: unknown,
  ): Promise<WireAnswer> {
    // Over HTTP, this server has not seen the client initialize. The session knows what it declared then.
    const capabilities = declared === undefined && era === 'legacy' ? await this.gate.questions() : declared;
    return callTask(this.tasks, definition, { era, caller, capabilities, params });
  }

  /** Answers a subscription to tasks on a lasting connection. Others belong to the server. */
  private listen(
    { id, params, era, subscriber }: Request,
    capabilities: unknown,
  ): Promise<WireAnswer | undefined> | undefined {
    const isOfTasks = read(params, 'notifications', 'taskIds') !== undefined;
    if (!isOfTasks || era === 'legacy' || subscriber === undefined) return undefined;
    const clientId = this.gate.clientIdOf(id);
    return this.subscriptions.listen({ id, clientId, params, capabilities, ...subscriber });
  }

  /** Tells the client of a lasting connection of the task that it created. */
  private follow({ era, subscriber }: Request, result: unknown): void {
    const taskId = read(result, 'task', 'taskId');
    if (era === 'modern' || subscriber === undefined || !isTaskId(taskId)) return;
    this.attempt(this.subscriptions.follow(taskId, subscriber));
  }

  /** Lists tasks where no gate does. */
  private async list({ caller, params }: Request): Promise<WireAnswer> {
    const cursor = read(params, 'cursor');
    const after = cursor === undefined ? undefined : String(cursor);
    const page = await listTasks(this.tasks, { caller, pageSize: PAGE_SIZE, after });
    if (!page.ok) return { kind: 'error', code: ERRORS.invalidParams, message: page.message };
    const next = page.next === undefined ? {} : { nextCursor: page.next };
    return { kind: 'result', result: { tasks: page.tasks, ...next } };
  }

  private async respond(request: Request, answering: Promise<WireAnswer | undefined>): Promise<void> {
    const { id, method } = request;
    const answer = await answering.catch((cause: unknown): WireAnswer => {
      this.failed(cause);
      return { kind: 'error', code: ERRORS.internal, message: 'The task cannot be reached. Try again.' };
    });
    if (answer === undefined) return;
    if (answer.kind === 'result') {
      await this.write({ jsonrpc: '2.0', id, result: answer.result });
      if (method === 'tools/call') this.follow(request, answer.result);
      return;
    }
    if (answer.kind === 'error') {
      const { code, message, data } = answer;
      const error = data === undefined ? { code, message } : { code, message, data };
      return this.write({ jsonrpc: '2.0', id, error });
    }
    const { messages, retryMs } = answer;
    const end = retryMs === undefined ? undefined : this.gate.comeBack(id, retryMs);
    for (const message of messages) await this.write(message, id);
    if (messages.some((message) => message.id === id)) return;
    if (end === undefined) await this.waitForEnd(request);
    else end();
  }

  /** Waits for the end of a task, for `tasks/result` of a client that cannot come back for it. */
  private async waitForEnd(request: Request): Promise<void> {
    const { id, method, params, caller, shows } = request;
    this.waiting.add(id);
    for (let pause = LOOK.first; this.waiting.has(id); pause = Math.min(LOOK.most, pause * 1.5)) {
      await sleep(pause, undefined, { ref: false });
      const answer = await answerLegacy(this.tasks, { caller, method, params, shows, id });
      if (!this.waiting.has(id)) return;
      const messages: readonly WireMessage[] =
        answer.kind === 'stream' ? answer.messages : [{ jsonrpc: '2.0', id, error: errorOf(answer) }];
      for (const message of messages) await this.write(message, id);
      if (messages.some((message) => message.id === id)) this.waiting.delete(id);
    }
  }

  private write(message: WireMessage, relatedTo?: RequestId): Promise<void> {
    const options =
      relatedTo === undefined || 'result' in message ? undefined : { relatedRequestId: relatedTo };
    return this.inner.send(message as JSONRPCMessage, options);
  }

  private attempt(work: Promise<unknown>): void {
    work.catch((cause: unknown) => this.failed(cause));
  }

  private failed(cause: unknown): void {
    this.onerror?.(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

/** The error of a task that does not exist, or is gone while its result is waited for. */
function errorOf(answer: WireAnswer): { readonly code: number; readonly message: string } {
  const { code, message } = answer.kind === 'error' ? answer : { ...Object(NOT_FOUND) };
  return { code, message };
}
