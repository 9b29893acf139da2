import type { Answer, Era, Failure, Message, Notification, RequestId } from './messages.js';
import type { TaskListPage, TaskListQuery } from './task-lister.js';
import type { MessageExtra } from './transport.js';

/** Who sent a message, as far as the transport knows. */
export interface CallSender {
  /** What the transport tells about the message. */
  readonly extra: MessageExtra | undefined;
  /** The session of the transport. A connection that is not HTTP is a session of its own. */
  readonly session: string | undefined;
}

/** A request between the gate and the server. It has no id: whoever needs its answer holds a promise. */
export interface Call extends CallSender {
  /** Whether the gate in front of the server shows a tool to the sender of this message. */
  shows(tool: string): Promise<boolean>;
  readonly method: string;
  readonly params: unknown;
  readonly era: Era;
  /** What the client declared, in this request or when its connection began; `undefined` if it did elsewhere. */
  readonly capabilities: unknown;
  /** Whether a gate reads the answer first, and decides what the client sees of it. */
  readonly isGated: boolean;
  /** Aborted when the client cancels the request or leaves. */
  readonly signal: AbortSignal;
  /** The id that the client knows, for messages that name it. */
  readonly clientId: RequestId;
  /** The connection of the call; `undefined` if it ends with the answer. */
  readonly connection: CallConnection | undefined;
  /** Sends the client a message that belongs to this request, before its answer. */
  send(message: Message): Promise<void>;
  /**
   * Acknowledges a stream about tasks, together with the server if the client subscribes to more.
   *
   * @returns whether the stream goes on after the tasks
   */
  acknowledge(message: Notification): Promise<boolean>;
  /** Returns which questions the client can answer, as the session knows it; see `GateLink`. */
  questions(): Promise<unknown>;
  /**
   * Tells the client to come back for the answer, before the first message.
   *
   * @returns ends the response; `undefined` if the transport cannot end it without an answer
   */
  comeBack(retryMs: number): (() => void) | undefined;
}

/** A connection that lasts after the answer to a call. */
export interface CallConnection {
  readonly signal: AbortSignal;
  /** Whether the gate shows a tool later on: the policy in force then decides, and not that of the call. */
  shows(tool: string): Promise<boolean>;
  send(message: Message): Promise<void>;
}

/** What is known of a message that is not a call. */
export type Sent = Pick<Call, keyof CallSender | 'shows'>;

/** The answer to a call. */
export type CallAnswer = Pick<Answer, 'result'> | Pick<Failure, 'error'>;

/** How to change the server's answer to a call. */
export interface AnswerChange {
  readonly result?: (result: Answer['result']) => Answer['result'];
  /** The answer if the server does not know the method. */
  readonly withoutMethod?: CallAnswer;
}

/** Answers calls before the server sees them. */
export interface Answerer {
  /**
   * Answers a call.
   *
   * @returns the answer, or `undefined` in its place if the client gets none; how to change the server's answer; or
   * `undefined` if the call is only the server's
   */
  answer(call: Call): Promise<CallAnswer | undefined> | AnswerChange | undefined;
  /** Must be called when an answer was sent. */
  answered(call: Call, answer: CallAnswer): Promise<void> | undefined;
  /**
   * Takes the client's response to a question that the answerer sent with an id of its own. No connection remembers these
   * ids: another process may take the response.
   *
   * @returns `undefined` if it is the response to something else
   */
  take(response: Answer | Failure, sender: Sent): Promise<unknown> | undefined;
  /** Lists tasks for the gate; see `TaskLister`. */
  list(query: TaskListQuery, sender: CallSender): Promise<TaskListPage>;
  /** The tools that create tasks. */
  readonly tools: readonly string[];
  /** The one session of all connections that are not HTTP, in a process with one client. Else, each is one of its own. */
  readonly session: string | undefined;
}
