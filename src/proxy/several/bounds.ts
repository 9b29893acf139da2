import type { CallAnswer } from '../../core/wire/calls.js';
import { refusal } from '../../core/wire/messages.js';
import { CANCELLED } from '../call.js';

/**
 * Passes on some of many: the first ones of an interval at once. Of the others, the last one is kept, and its owner decides at
 * the end of the interval what becomes of it.
 *
 * @example
 * const pace = new Pace({ times: 50, ms: 10_000 }, (left) => tell(`${left} more`));
 * pace.pass(() => tell(message));
 */
export class Pace {
  private passed = 0;
  private left = 0;
  private last: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param limit how often, in how many milliseconds
   * @param over is told at the end of an interval how many did not pass, and the last of them
   * @param idle is told at the end of an interval in which all passed
   */
  constructor(
    private readonly limit: { readonly times: number; readonly ms: number },
    private readonly over: (left: number, last: () => void) => void,
    private readonly idle: () => void = () => undefined,
  ) {}

  pass(send: () => void): void {
    this.timer ??= setTimeout(() => this.end(), this.limit.ms).unref();
    if (this.passed < this.limit.times) {
      this.passed++;
      return send();
    }
    this.left++;
    this.last = send;
  }

  /** Returns what is kept, and forgets it: at the end of the interval it could not be sent any more. */
  take(): { readonly left: number; readonly last: () => void } | undefined {
    const { left, last } = this;
    this.left = 0;
    this.last = undefined;
    return last && { left, last };
  }

  /** Forgets what is kept. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.take();
  }

  private end(): void {
    this.timer = undefined;
    this.passed = 0;
    const kept = this.take();
    if (kept === undefined) this.idle();
    else this.over(kept.left, kept.last);
  }
}

/**
 * Passes on the first ones of an interval, and the last one of the others in the next: where only the last of many counts.
 *
 * @example
 * latest({ times: 1, ms: 1000 }).pass(() => tell(uri));
 */
export function latest(limit: { readonly times: number; readonly ms: number }, idle?: () => void): Pace {
  const pace: Pace = new Pace(limit, (_left, last) => pace.pass(last), idle);
  return pace;
}

/** How many questions of one server a person may see at once, and how many more wait. */
const MAX_QUESTIONS = { open: 4, waiting: 32 };

/** -32000: JSON-RPC leaves the code to implementations. */
const TOO_MANY = refusal(
  -32000,
  `Too many questions: ${MAX_QUESTIONS.open} are open and ${MAX_QUESTIONS.waiting} wait. Ask again when some are answered.`,
);

/** The questions of one server to one client: few are open at a time, some wait, and more are refused. */
export class Questions {
  private open = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * Asks as soon as there is room.
   *
   * @param ask asks the client. Must resolve when the signal is aborted.
   * @param signal aborted when the server takes the question back, or its call ends
   */
  async ask(ask: () => Promise<CallAnswer>, signal: AbortSignal): Promise<CallAnswer> {
    if (signal.aborted) return CANCELLED;
    if (this.open >= MAX_QUESTIONS.open) {
      if (this.waiting.length >= MAX_QUESTIONS.waiting) return TOO_MANY;
      if (!(await this.room(signal))) return CANCELLED;
    } else this.open++;
    try {
      return await ask();
    } finally {
      this.next();
    }
  }

  /** Waits for the place of a question that ends. Resolves with `false` if the question is taken back before. */
  private room(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        resolve(false);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(enter);
    });
  }

  private next(): void {
    const enter = this.waiting.shift();
    if (enter === undefined) this.open--;
    else enter();
  }
}
