import { randomUUID } from 'node:crypto';
import type { ErrorObject, OperationUpdate } from '@aws-sdk/client-lambda';
import { applyUpdate, completeDue, type WireOperation } from './operations.js';

/** One invocation of the function. `done` resolves to its answer; to `undefined` if its process died. */
export interface Invocation {
  readonly done: Promise<unknown>;
  kill(): void;
}

/** Where a process is killed: before a checkpoint is kept, or after it, so that its answer is lost. */
export type Crash = 'before' | 'after' | undefined;

export interface ExecutionsOptions {
  /** Runs the function once with an event. */
  invoke(event: object): Invocation;
  /** How many milliseconds a second of a wait takes. */
  readonly second: number;
  /** Whether to kill the process that sends a checkpoint. The first checkpoint has the number 0. */
  crash?(checkpoint: number, execution: Execution): Crash;
}

export interface Execution {
  readonly name: string;
  readonly arn: string;
  readonly payload: string;
  readonly startedAt: number;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'STOPPED';
  result?: string;
  error?: ErrorObject;
  token: string;
  readonly operations: Map<string, WireOperation>;
  /** Operations that changed outside of a checkpoint, for the next invocation. */
  updated: string[];
  invocation?: Invocation;
}

/** How long Lambda waits before it invokes the function again after a crash, in milliseconds. */
const AFTER_CRASH = 20;

/** The state of all durable executions, and what makes them go on. */
export class Executions {
  readonly counts = { invocations: 0, checkpoints: 0, updates: 0, reads: 0, deaths: 0 };
  private readonly byName = new Map<string, Execution>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private closed = false;

  constructor(private readonly options: ExecutionsOptions) {}

  find(name: string): Execution | undefined {
    return this.byName.get(name);
  }

  byArn(arn: string): Execution | undefined {
    return [...this.byName.values()].find((execution) => execution.arn === arn);
  }

  /** Starts an execution. The same name with the same payload is the same execution; another payload is a conflict. */
  start(functionArn: string, name: string, payload: string): Execution | 'conflict' {
    const running = this.byName.get(name);
    if (running !== undefined) return running.payload === payload ? running : 'conflict';
    const startedAt = Date.now();
    const execution: Execution = {
      name,
      arn: `${functionArn}/durable-execution/${name}/${randomUUID()}`,
      payload,
      startedAt,
      status: 'RUNNING',
      token: '',
      operations: new Map(),
      updated: [],
    };
    execution.operations.set('execution', {
      Id: 'execution',
      Type: 'EXECUTION',
      Status: 'STARTED',
      StartTimestamp: startedAt / 1000,
      ExecutionDetails: { InputPayload: payload },
    });
    this.byName.set(name, execution);
    this.invoke(execution);
    return execution;
  }

  /** Keeps a checkpoint. Returns the new token and the changed operations, or why there is no answer. */
  checkpoint(
    execution: Execution,
    token: string,
    updates: readonly OperationUpdate[],
  ): { readonly token: string; readonly changed: readonly WireOperation[] } | 'refused' | 'killed' {
    if (execution.status !== 'RUNNING' || token !== execution.token) return 'refused';
    const number = this.counts.checkpoints++;
    const crash = this.options.crash?.(number, execution);
    if (crash === 'before') return this.kill(execution);
    this.counts.updates += updates.length;
    const changed = updates.map((update) => this.apply(execution, update));
    for (const id of execution.updated) {
      const operation = execution.operations.get(id);
      if (operation !== undefined) changed.push(operation);
    }
    execution.token = randomUUID();
    if (crash === 'after') return this.kill(execution);
    return { token: execution.token, changed };
  }

  /** Gives an answer to a callback. Returns whether it was open. */
  succeed(callbackId: string, result: string): boolean {
    const [name = '', id = ''] = callbackId.split('.');
    const execution = this.byName.get(name);
    const operation = execution?.operations.get(id);
    if (execution?.status !== 'RUNNING' || operation?.Status !== 'STARTED') return false;
    execution.operations.set(id, {
      ...operation,
      Status: 'SUCCEEDED',
      EndTimestamp: Date.now() / 1000,
      CallbackDetails: { ...operation.CallbackDetails, Result: result },
    });
    this.continueWith(execution, id);
    return true;
  }

  stop(execution: Execution): void {
    if (execution.status === 'RUNNING') execution.status = 'STOPPED';
  }

  /** Kills the process that works on an execution. */
  kill(execution: Execution): 'killed' {
    // A dead process sends nothing: attempts that are still under way find no current token.
    execution.token = '';
    execution.invocation?.kill();
    return 'killed';
  }

  /** Ends everything. Processes are killed; what runs in this process ends at its next checkpoint. */
  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    const running = [...this.byName.values()].filter(({ invocation }) => invocation !== undefined);
    for (const execution of running) {
      this.stop(execution);
      this.kill(execution);
    }
    await Promise.all(running.map(({ invocation }) => invocation?.done));
  }

  private apply(execution: Execution, update: OperationUpdate): WireOperation {
    const { Id = '', Type, Action, Payload, Error: error } = update;
    if (Type === 'EXECUTION') {
      execution.status = Action === 'SUCCEED' ? 'SUCCEEDED' : 'FAILED';
      if (Payload !== undefined) execution.result = Payload;
      if (error !== undefined) execution.error = error;
    }
    const { operation, dueAt } = applyUpdate(execution.operations.get(Id), update, {
      now: Date.now(),
      second: this.options.second,
      callbackId: `${execution.name}.${Id}`,
    });
    execution.operations.set(Id, operation);
    if (dueAt !== undefined) {
      this.later(dueAt - Date.now(), () => {
        const current = execution.operations.get(Id);
        if (execution.status !== 'RUNNING' || current === undefined) return;
        execution.operations.set(Id, completeDue(current, Date.now()));
        this.continueWith(execution, Id);
      });
    }
    return operation;
  }

  private continueWith(execution: Execution, id: string): void {
    execution.updated.push(id);
    this.invoke(execution);
  }

  /** Invokes the function, unless an invocation of this execution runs. */
  private invoke(execution: Execution): void {
    if (this.closed || execution.invocation !== undefined || execution.status !== 'RUNNING') return;
    this.counts.invocations += 1;
    execution.token = randomUUID();
    const invocation = this.options.invoke({
      DurableExecutionArn: execution.arn,
      CheckpointToken: execution.token,
      UpdatedOperationIds: execution.updated,
      InitialExecutionState: { Operations: [...execution.operations.values()] },
    });
    execution.updated = [];
    execution.invocation = invocation;
    void invocation.done.then((answer) => {
      delete execution.invocation;
      this.afterInvocation(execution, answer);
    });
  }

  private afterInvocation(execution: Execution, answer: unknown): void {
    if (this.closed || execution.status !== 'RUNNING') return;
    const output: { Status?: string; Result?: string; Error?: ErrorObject } | undefined =
      typeof answer === 'object' && answer !== null ? answer : undefined;
    if (output === undefined) {
      this.counts.deaths += 1;
      this.later(AFTER_CRASH, () => this.invoke(execution));
    } else if (output.Status === 'SUCCEEDED' || output.Status === 'FAILED') {
      execution.status = output.Status;
      if (output.Result !== undefined) execution.result = output.Result;
      if (output.Error !== undefined) execution.error = output.Error;
    } else if (execution.updated.length > 0) {
      this.invoke(execution);
    }
  }

  private later(ms: number, then: () => void): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        then();
      },
      Math.max(0, ms),
    );
    this.timers.add(timer);
  }
}
