import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskCaller } from '../../session/task-owner.js';
import { ERRORS, type RequestId, read } from '../../wire/messages.js';
import type { Tasks } from '../port/tasks.js';
import { isTaskId } from '../records/owner.js';
import { stateOf, type TaskRecord } from '../records/record.js';
import { refusal, result, type WireAnswer, type WireMessage } from '../wire/answer.js';
import { legacyTask, modernTask } from '../wire/describe.js';
import { pollInterval } from '../wire/poll.js';
import { missingCapability, supportsTasks } from '../wire/start.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
/** The most tasks of one subscription: each is read again and again. */
const MAX_TASKS = 100;
/** How soon a task is read again after a change, in milliseconds. Then the pauses grow to its poll interval. */
const SOON_MS = 50;

/** Who learns of a task. */
export interface Subscriber {
  readonly caller: TaskCaller;
  /** Whether the policy shows a tool to the client now. While it does not, the client learns nothing. */
  readonly shows: (tool: string) => Promise<boolean>;
}

/** A subscription of protocol 2026-07-28. */
export interface Listening extends Subscriber {
  readonly id: RequestId;
  /** The id that the client knows it by. */
  readonly clientId: RequestId;
  readonly params: unknown;
  readonly capabilities: unknown;
}

/** Tells the client of a lasting connection when its tasks change. */
export class TaskSubscriptions {
  /** What is told of, by the id of the subscription; of tasks of protocol 2025-11-25, by the id of the task. */
  private readonly open = new Set<unknown>();

  constructor(
    private readonly tasks: Tasks,
    private readonly send: (message: WireMessage, relatedTo?: RequestId) => Promise<void>,
  ) {}

  /** Ends a subscription, which its client cancelled. */
  cancel(id: unknown): void {
    this.open.delete(id);
  }

  close(): void {
    this.open.clear();
  }

  /** Follows a task that a client of protocol 2025-11-25 created ("Tasks: Task Status Notification"). */
  async follow(id: string, subscriber: Subscriber): Promise<void> {
    this.open.add(id);
    await this.watch(id, id, subscriber, (record) => {
      const params = legacyTask(record, Date.now());
      return this.send({ jsonrpc: '2.0', method: 'notifications/tasks/status', params });
    });
    this.open.delete(id);
  }

  /**
   * Answers `subscriptions/listen` with `taskIds` (SEP-2663). A task that does not exist, belongs to somebody else or whose
   * tool is hidden is left out of the acknowledgment.
   *
   * @param listening the subscription
   * @returns the answer, when all tasks have ended; `undefined` if the client cancelled the subscription
   */
  async listen(listening: Listening): Promise<WireAnswer | undefined> {
    const { id, clientId, params, capabilities, caller, shows } = listening;
    if (!supportsTasks(capabilities)) return missingCapability();
    const sent = read(params, 'notifications', 'taskIds');
    if (!Array.isArray(sent) || sent.length > MAX_TASKS || sent.some((each) => typeof each !== 'string')) {
      return refusal(
        ERRORS.invalidParams,
        `params.notifications.taskIds must be an array of at most ${MAX_TASKS} strings.`,
      );
    }
    this.open.add(id);
    const taskIds: string[] = [];
    for (const each of new Set<string>(sent)) {
      const record = isTaskId(each) ? await this.tasks.read(caller, each) : undefined;
      if (record !== undefined && (await shows(record.tool))) taskIds.push(each);
    }
    const _meta = { [SUBSCRIPTION]: clientId };
    const method = 'notifications/subscriptions/acknowledged';
    await this.send({ jsonrpc: '2.0', method, params: { notifications: { taskIds }, _meta } }, id);
    const tell = (record: TaskRecord) => {
      const task = modernTask(record, Date.now());
      return this.send({ jsonrpc: '2.0', method: 'notifications/tasks', params: { ...task, _meta } }, id);
    };
    await Promise.all(taskIds.map((each) => this.watch(id, each, listening, tell)));
    return this.open.delete(id) ? result({ resultType: 'complete', _meta }) : undefined;
  }

  /** Tells of each state of a task that is seen, until its end. The first one is told too: nothing can be missed. */
  private async watch(
    subscription: unknown,
    taskId: string,
    { caller, shows }: Subscriber,
    tell: (record: TaskRecord) => Promise<void>,
  ): Promise<void> {
    let told: string | undefined;
    for (let pause = SOON_MS; this.open.has(subscription); await sleep(pause, undefined, { ref: false })) {
      const record = await this.tasks.read(caller, taskId);
      if (record === undefined) return;
      const state = `${record.updatedAt} ${stateOf(record)}`;
      const isNew = state !== told && (await shows(record.tool));
      if (!this.open.has(subscription)) return;
      if (isNew) {
        told = state;
        await tell(record);
      }
      if (record.status !== 'open') return;
      pause = isNew ? SOON_MS : Math.min(pollInterval(record, Date.now()), pause * 1.5);
    }
  }
}
