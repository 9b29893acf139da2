import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { TaskCaller } from '../../session/task-owner.js';
import type { Tasks } from '../port/tasks.js';
import { isTaskId } from '../records/owner.js';
import {
  CODES,
  member,
  NOT_FOUND,
  type RequestId,
  type WireAnswer,
  type WireMessage,
} from '../wire/answer.js';
import { answerLegacy } from '../wire/legacy.js';
import { listTasks } from '../wire/list.js';
import { answerModern } from '../wire/modern.js';
import { isQuestionId, takeResponse } from '../wire/questions.js';
import { callTask, missingCapability, supportsTasks } from '../wire/start.js';
import { callerOf } from './caller.js';
import { addTools, declareLegacy, declareModern } from './declare.js';

const META = 'io.modelcontextprotocol/';
/** The protocol version of the modern era. */
const MODERN = '2026-07-28';
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
  readonly era: 'legacy' | 'modern';
}

/** A transport with a gate in it, which knows what the policy hides from the sender of a message. */
interface GatedTransport {
  showsTool?(name: string, message: JSONRPCMessage, extra?: MessageExtraInfo): Promise<boolean>;
  waitFor?(work: Promise<unknown>): void;
}

/** How to change the server's answer to a request. */
interface AnswerChange {
  readonly of?: (result: Readonly<Record<string, unknown>>) => object;
  /** The answer if the server does not know the method. */
  readonly ifUnknown?: { readonly result: object } | { readonly error: object };
}

/** Members that transports of SDK v2 have in addition to those of v1. */
interface V2Transport {
  setSupportedProtocolVersions?(versions: string[]): void;
  readonly hasPerRequestStream?: boolean;
}

/** Answers the messages about tasks before the server sees them, and adds the tools of tasks to its answers. */
export class TaskTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private readonly connection = randomUUID();
  /** How to change the server's answer to a request. */
  private readonly changes = new Map<unknown, AnswerChange>();
  /** Requests that wait for the end of a task. */
  private readonly waiting = new Set<unknown>();
  private capabilities: unknown;
  private initialized = false;

  constructor(
    private readonly inner: Transport,
    private readonly tasks: Tasks,
  ) {}

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
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => {
      if (!this.takes(message, extra)) this.onmessage?.(message, extra);
    };
    return inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const id = member(message, 'id');
    const change = 'method' in message ? undefined : this.changes.get(id);
    this.changes.delete(id);
    if (change === undefined) return this.inner.send(message, options);
    if ('result' in message) {
      const { of: changed = (result) => result } = change;
      return this.inner.send({ ...message, result: { ...changed(message.result) } }, options);
    }
    const isUnknown = member(member(message, 'error'), 'code') === CODES.methodNotFound;
    const { ifUnknown } = change;
    if (!isUnknown || ifUnknown === undefined) return this.inner.send(message, options);
    return this.inner.send({ ...ifUnknown, jsonrpc: '2.0', id } as JSONRPCMessage, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** Returns whether a message is about tasks. Then it is answered here. */
  private takes(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): boolean {
    const { sessionId: id } = this.inner;
    const caller = callerOf(extra, { id, connection: this.connection });
    // At each message: a policy or a preference can hide a tool after its task started.
    const gate = this.inner as GatedTransport;
    const shows = async (tool: string) => (await gate.showsTool?.(tool, message, extra)) ?? true;
    if (!('method' in message)) {
      if (!isQuestionId(member(message, 'id'))) return false;
      const taking = takeResponse(this.tasks, { caller, shows }, message);
      // Over HTTP, the process may stop and the server may close with the response to this message.
      gate.waitFor?.(taking);
      this.attempt(taking);
      return true;
    }
    const { method, params } = message;
    if (!('id' in message)) {
      if (method === 'notifications/cancelled') this.waiting.delete(member(params, 'requestId'));
      return false;
    }
    const meta = member(params, '_meta');
    const isModern = member(meta, `${META}protocolVersion`) === MODERN && !this.initialized;
    const era = isModern ? 'modern' : 'legacy';
    const request: Request = { id: message.id, method, params, caller, shows, era };
    const answer = this.answer(
      request,
      isModern ? member(meta, `${META}clientCapabilities`) : this.capabilities,
    );
    if (answer === undefined) return false;
    this.attempt(this.respond(request, answer));
    return true;
  }

  /** Returns the answer to a request; `undefined` if the server answers it. */
  private answer(request: Request, capabilities: unknown): Promise<WireAnswer> | undefined {
    const { id, method, params, caller, shows, era } = request;
    const { tasks } = this;
    switch (method) {
      case 'initialize':
        this.initialized = true;
        this.capabilities = member(params, 'capabilities') ?? {};
        this.changes.set(id, { of: declareLegacy });
        return undefined;
      case 'server/discover':
        this.changes.set(id, { of: declareModern });
        return undefined;
      case 'tools/list':
        this.changes.set(id, {
          of: (result) => addTools(result, tasks.definitions, era),
          // A server of which every tool is a task has no list of tools.
          ifUnknown: { result: addTools({ tools: [] }, tasks.definitions, era) },
        });
        return undefined;
      case 'tools/call': {
        const definition = tasks.definitions.get(String(member(params, 'name')));
        return definition && callTask(tasks, definition, { era, caller, capabilities, params });
      }
      case 'tasks/list':
        return era === 'legacy' ? this.list(request) : undefined;
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
      case 'tasks/result': {
        // The server may have tasks of its own, whose ids look different.
        if (!isTaskId(member(params, 'taskId'))) {
          if (era === 'modern' && !supportsTasks(capabilities)) return Promise.resolve(missingCapability());
          // The modern era has no such method.
          if (era === 'modern' && method === 'tasks/result') return undefined;
          this.changes.set(id, { ifUnknown: { error: errorOf(NOT_FOUND) } });
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

  private async list({ caller, params, shows }: Request): Promise<WireAnswer> {
    const names = [...this.tasks.definitions.keys()];
    const shown = await Promise.all(names.map(shows));
    const tools = names.filter((_, index) => shown[index]);
    const visible = tools.length === names.length ? {} : { tools };
    const cursor = member(params, 'cursor');
    const after = cursor === undefined ? undefined : String(cursor);
    const page = await listTasks(this.tasks, { caller, pageSize: PAGE_SIZE, after, ...visible });
    if (!page.ok) return { kind: 'error', code: CODES.invalidParams, message: page.message };
    const next = page.next === undefined ? {} : { nextCursor: page.next };
    return { kind: 'result', result: { tasks: page.tasks, ...next } };
  }

  private async respond(request: Request, answering: Promise<WireAnswer>): Promise<void> {
    const { id } = request;
    const answer = await answering.catch((cause: unknown): WireAnswer => {
      this.onerror?.(cause instanceof Error ? cause : new Error(String(cause)));
      return { kind: 'error', code: CODES.internal, message: 'The task cannot be reached. Try again.' };
    });
    if (answer.kind === 'result') return this.write({ jsonrpc: '2.0', id, result: answer.result });
    if (answer.kind === 'error') {
      const { code, message, data } = answer;
      const error = data === undefined ? { code, message } : { code, message, data };
      return this.write({ jsonrpc: '2.0', id, error });
    }
    for (const message of answer.messages) await this.write(message, id);
    const isAnswered = answer.messages.some((message) => message.id === id);
    if (!isAnswered) await this.waitForEnd(request);
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
    work.catch((cause: unknown) => this.onerror?.(cause instanceof Error ? cause : new Error(String(cause))));
  }
}

/** The error of a task that does not exist, or is gone while its result is waited for. */
function errorOf(answer: WireAnswer): { readonly code: number; readonly message: string } {
  const { code, message } = answer.kind === 'error' ? answer : { ...Object(NOT_FOUND) };
  return { code, message };
}
