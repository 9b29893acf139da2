/**
 * A question to the client: a request that the client answers, without its JSON-RPC envelope. What both SDKs declare for these
 * requests is one of them.
 */
export type TaskQuestion =
  | { readonly method: 'elicitation/create'; readonly params: ElicitationParams }
  | { readonly method: 'sampling/createMessage'; readonly params: SamplingParams }
  | { readonly method: 'roots/list'; readonly params?: Readonly<Record<string, unknown>> | undefined };

/** What a person is asked, in a form or at a URL. */
export interface ElicitationParams {
  readonly message: string;
  readonly mode?: 'form' | 'url' | undefined;
  /** The JSON Schema of the form. */
  readonly requestedSchema?: object;
  readonly url?: string;
  readonly elicitationId?: string;
  readonly [member: string]: unknown;
}

/** What the model of the client is asked. */
export interface SamplingParams {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[];
  readonly maxTokens: number;
  readonly [member: string]: unknown;
}

/** What a person answered. */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>> | undefined;
  readonly [member: string]: unknown;
}

/** What the model of the client answered. */
export interface SamplingAnswer {
  readonly model: string;
  readonly role: 'user' | 'assistant';
  readonly content: { readonly type: string; readonly [member: string]: unknown };
  readonly stopReason?: string | undefined;
  readonly [member: string]: unknown;
}

/** The folders that the client works in. */
export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string | undefined }[];
  readonly [member: string]: unknown;
}

/** The client's answer to a question. */
export type TaskAnswer<Question extends TaskQuestion> = Question['method'] extends 'elicitation/create'
  ? ElicitationAnswer
  : Question['method'] extends 'sampling/createMessage'
    ? SamplingAnswer
    : RootsAnswer;

/** What a step may do besides its work. */
export interface StepContext {
  /**
   * Shows a message to clients that look at the task.
   *
   * @throws {TaskCancelled} if the task has ended: stop the work
   */
  progress(message: string): Promise<void>;
}

export interface StepOptions {
  /** How often a step that throws is run again, after 2, 4, 8 ... seconds, at most 60. The default is 0. */
  readonly retries?: number;
}

/**
 * What a task does through its engine. Each call is a checkpoint: when another process continues the task, the function
 * runs again from its start, and calls that are done return what they returned before.
 */
export interface TaskContext {
  /** The id of the task. */
  readonly taskId: string;
  /**
   * Runs work whose effect or result must not be repeated, and records its value, which must be JSON. If the process dies
   * during the step, the step runs again.
   *
   * @throws {TaskStepError} if the work still throws after its retries
   * @example
   * const rows = await ctx.step('collect', ({ progress }) => collect(topic, progress), { retries: 2 });
   */
  step<T>(name: string, work: (step: StepContext) => Promise<T> | T, options?: StepOptions): Promise<T>;
  /**
   * Waits without a running process: whole seconds, up to a year.
   *
   * @example
   * await ctx.sleep('cool down', 60);
   */
  sleep(name: string, seconds: number): Promise<void>;
  /**
   * Asks the client, and waits for its answer without a running process.
   *
   * @param key identifies the question; unique in the task
   * @throws {TaskQuestionError} if the client cannot answer such a question
   * @example
   * const signer = await ctx.ask('signer', {
   *   method: 'elicitation/create',
   *   params: {
   *     message: 'Who signs?',
   *     requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
   *   },
   * });
   */
  ask<Question extends TaskQuestion>(key: string, question: Question): Promise<TaskAnswer<Question>>;
  /**
   * Shows a message to clients that look at the task.
   *
   * @example
   * await ctx.progress('2 of 3: waiting for a signature');
   */
  progress(message: string): Promise<void>;
  /**
   * Runs branches at the same time. Each branch has a context of its own, which it must use instead of the outer one. All
   * branches run to their end; then the first error, in the order of the array, is thrown.
   *
   * @example
   * const [sales, costs] = await ctx.all('fetch', [
   *   (branch) => branch.step('sales', fetchSales),
   *   (branch) => branch.step('costs', fetchCosts),
   * ]);
   */
  all<Branches extends readonly ((branch: TaskContext) => Promise<unknown>)[]>(
    name: string,
    branches: readonly [...Branches],
  ): Promise<BranchValues<Branches>>;
}

/** The values of the branches of `ctx.all`, in their order. */
export type BranchValues<Branches extends readonly ((branch: TaskContext) => Promise<unknown>)[]> = {
  [Index in keyof Branches]: Awaited<ReturnType<Branches[Index]>>;
};
