import { getOrMake } from '../../core/once.js';
import { messageOf, orderOfCalls, TaskRuleError } from '../author/errors.js';
import { retryDelay, type TaskOperations } from './engine.js';

/** Calls a function after some seconds, and returns a function that prevents it. */
export type Timer = (seconds: number, then: () => void) => () => void;

/** The value of an operation that is over, or the message of its error. */
type Tried = { readonly value: unknown } | { readonly message: string };

/** One operation of a task, in the order in which they began. */
interface Entry {
  readonly kind: string;
  readonly name: string;
  outcome?: Tried;
  /** Continues the run that waits for this operation. */
  resume?: (value: unknown) => void;
  token?: string;
  /** Prevents the timer of a wait. */
  cancel?: () => void;
}

/** The log of one execution. */
export interface Execution {
  /** Operations by their place: `0`, `1`, and `1.0.0` for the first operation of the first branch of operation 1. */
  readonly log: Map<string, Entry>;
  /** The number of the current run. Runs before it are abandoned: nothing continues them. */
  attempt: number;
  /** How many steps and submissions run now. While one does, the run is continued instead of repeated. */
  active: number;
  /** The first difference between two runs. */
  broken?: TaskRuleError;
}

interface Ports {
  readonly timer: Timer;
  /** Who waits for which answer. */
  readonly tokens: Map<string, (text: string) => void>;
  /** Runs the task again from its start. */
  again(): void;
}

/**
 * Makes the operations of one run. An operation that is in the log is answered from it; one that differs from the log
 * breaks the task.
 *
 * @param execution the log
 * @param attempt the number of the run
 * @param ports effects
 * @param prefix the place of the branch
 */
export function createOperations(
  execution: Execution,
  attempt: number,
  ports: Ports,
  prefix = '',
): TaskOperations {
  let next = 0;
  const isCurrent = (): boolean => attempt === execution.attempt;

  const enter = (kind: string, name: string): { readonly entry: Entry; readonly place: string } => {
    if (execution.broken !== undefined) throw execution.broken;
    const place = `${prefix}${next++}`;
    const entry = getOrMake(execution.log, place, (): Entry => ({ kind, name }));
    if (entry.kind === kind && entry.name === name) return { entry, place };
    const { code, message } = orderOfCalls(`${entry.kind} "${entry.name}" was ${kind} "${name}"`);
    execution.broken = new TaskRuleError(code, message);
    throw execution.broken;
  };
  /** Continues after a wait or an answer: with a new run, as another process would, unless this one is at work. */
  const settle = (entry: Entry, value: unknown): void => {
    if (entry.outcome !== undefined) return;
    entry.outcome = { value };
    if (execution.active === 0) ports.again();
    else entry.resume?.(value);
  };
  const waitFor = (entry: Entry): Promise<unknown> =>
    new Promise((resolve) => {
      entry.resume = resolve;
    });
  const active = async <T>(work: () => Promise<T>): Promise<T> => {
    execution.active += 1;
    try {
      return await work();
    } finally {
      execution.active -= 1;
    }
  };

  return {
    async step<T>(name: string, retries: number, work: () => Promise<T>): Promise<T> {
      if (!isCurrent()) return forever();
      const { entry } = enter('step', name);
      entry.outcome ??= await active(() => tryStep(work, retries, ports.timer));
      if (!isCurrent()) return forever();
      if ('message' in entry.outcome) throw new Error(entry.outcome.message);
      // The log has what the same work returned in an earlier run.
      return structuredClone(entry.outcome.value) as T;
    },

    async wait(name, seconds) {
      if (!isCurrent()) return forever();
      const { entry } = enter('sleep', name);
      if (entry.outcome !== undefined) return;
      entry.cancel ??= ports.timer(seconds, () => settle(entry, undefined));
      await waitFor(entry);
    },

    async question(name, submit) {
      if (!isCurrent()) return forever();
      const { entry } = enter('question', name);
      if (entry.outcome === undefined && entry.token === undefined) {
        const token = crypto.randomUUID();
        entry.token = token;
        ports.tokens.set(token, (text) => settle(entry, text));
        const submitted = await active(() => tryStep(async () => submit(token), 5, ports.timer));
        if ('message' in submitted) throw new Error(submitted.message);
      }
      // The answer may arrive while the question is still being submitted.
      return String(entry.outcome && 'value' in entry.outcome ? entry.outcome.value : await waitFor(entry));
    },

    async parallel(name, branches) {
      if (!isCurrent()) return forever();
      const { place } = enter('parallel', `${name} of ${branches.length}`);
      const operationsOf = (index: number) =>
        createOperations(execution, attempt, ports, `${place}.${index}.`);
      return Promise.all(branches.map((branch, index) => branch(operationsOf(index))));
    },
  };
}

/** Runs work, and again after a delay if it throws. */
async function tryStep(work: () => Promise<unknown>, retries: number, timer: Timer): Promise<Tried> {
  for (let tries = 1; ; tries++) {
    try {
      const value = await work();
      return { value: value === undefined ? undefined : JSON.parse(JSON.stringify(value)) };
    } catch (error) {
      if (tries > retries) return { message: messageOf(error) };
      await new Promise<void>((resolve) => void timer(retryDelay(tries), resolve));
    }
  }
}

/** A run that was repeated must not go on. */
function forever(): Promise<never> {
  return new Promise(() => {});
}

/** Waits for some milliseconds with that timer. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => void startTimer(ms / 1000, resolve));

/** The timer of this process. It does not keep the process alive. */
export const startTimer: Timer = (seconds, then) => {
  // setTimeout counts at most 2^31 - 1 milliseconds, 24.8 days.
  const most = 2_000_000;
  let handle: NodeJS.Timeout;
  const wait = (left: number): void => {
    handle = setTimeout(() => (left > most ? wait(left - most) : then()), Math.min(left, most) * 1000);
    // In Workers, a timer is a number.
    handle.unref?.();
  };
  wait(seconds);
  return () => clearTimeout(handle);
};
