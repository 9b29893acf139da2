import type { TaskContext } from './context.js';
import { TaskDefinitionError } from './errors.js';

/** A JSON Schema of an object. */
export interface JsonObjectSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** A schema of a library such as Zod 4: it validates, and describes itself as JSON Schema (https://standardschema.dev). */
export interface StandardTaskSchema<Output = unknown> {
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => object };
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

export type TaskSchema = JsonObjectSchema | StandardTaskSchema;

/** The arguments that a task receives: the output of its schema. JSON Schemas have no types. */
export type TaskArguments<Schema> =
  Schema extends StandardTaskSchema<infer Output> ? Output : Record<string, unknown>;

/** The result of a tool call. What both SDKs declare for it is one. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly [member: string]: unknown;
}

/** What a task returns: the text or the whole result of the tool call. */
export type TaskResult = string | ToolResult | undefined;

/** How a tool may be called: `required` only as a task, `optional` also as a plain call, where a client supports no tasks. */
export type TaskSupport = 'optional' | 'required';

/** A task as engines run it. */
export interface TaskDefinition {
  /** The name of the tool. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The schema of the arguments: JSON Schema, or a schema of a library such as Zod 4. */
  readonly inputSchema: TaskSchema;
  /** The default is `required`. */
  readonly support: TaskSupport;
  /** Seconds from the start of a task until its record is deleted. The default is one day. */
  readonly ttlSeconds: number;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
  run(args: unknown, ctx: TaskContext): Promise<TaskResult> | TaskResult;
}

/** What `defineTask` takes. */
export interface TaskOptions<Schema extends TaskSchema>
  extends Omit<TaskDefinition, 'inputSchema' | 'run' | 'support' | 'ttlSeconds'>,
    Partial<Pick<TaskDefinition, 'support' | 'ttlSeconds'>> {
  readonly inputSchema: Schema;
  /** The work. See the rules for authors in the guide: it may run several times, from its start. */
  run(args: TaskArguments<Schema>, ctx: TaskContext): Promise<TaskResult> | TaskResult;
}

/** The longest life of a task: DynamoDB and durable executions both keep a year and more, clients poll less. */
const MAX_TTL_SECONDS = 365 * 86_400;

/**
 * Defines a tool that runs as a durable task. The same definition runs in this process and on AWS Lambda, for servers of
 * SDK v1 and v2. Export an array of definitions as `tasks` beside `createServer`.
 *
 * @param options the tool and its work
 * @returns the definition
 * @throws {TaskDefinitionError} if a part of the definition is not valid
 * @example
 * export const tasks = [
 *   defineTask({
 *     name: 'report',
 *     description: 'Writes a report.',
 *     inputSchema: z.object({ topic: z.string() }),
 *     run: async ({ topic }, ctx) => {
 *       const rows = await ctx.step('collect', () => collect(topic));
 *       await ctx.sleep('cool down', 60);
 *       return `${rows.length} rows on ${topic}`;
 *     },
 *   }),
 * ];
 */
export function defineTask<Schema extends TaskSchema>(options: TaskOptions<Schema>): TaskDefinition {
  const { support = 'required', ttlSeconds = 86_400 } = options;
  const definition = { ...options, support, ttlSeconds };
  const problem = problemOf(definition);
  if (problem === undefined) return definition;
  throw new TaskDefinitionError(`The task ${JSON.stringify(options.name)} is not valid: ${problem}`);
}

/** Returns what is wrong with a value that should be a definition. */
function problemOf(value: object): string | undefined {
  const member = (name: keyof TaskDefinition): unknown => Reflect.get(value, name);
  const [name, support, ttlSeconds] = [member('name'), member('support'), member('ttlSeconds')];
  // The characters that MCP recommends for names of tools.
  if (typeof name !== 'string' || !/^[\w./-]{1,128}$/.test(name))
    return 'its name must have 1 to 128 letters, digits, "_", "-", "." or "/".';
  if (support !== 'optional' && support !== 'required') return 'support must be "optional" or "required".';
  if (typeof ttlSeconds !== 'number' || !(ttlSeconds >= 1 && ttlSeconds <= MAX_TTL_SECONDS))
    return `ttlSeconds must be a number from 1 to ${MAX_TTL_SECONDS}.`;
  if (typeof member('run') !== 'function') return 'run must be a function.';
  return isSchema(member('inputSchema'))
    ? undefined
    : 'inputSchema must be a JSON Schema with type "object", or a schema that describes itself as JSON Schema, such as z.object of Zod 4.2.';
}

function isSchema(schema: unknown): schema is TaskSchema {
  if (typeof schema !== 'object' || schema === null) return false;
  if ('~standard' in schema) {
    const standard = schema['~standard'];
    return typeof standard === 'object' && standard !== null && 'jsonSchema' in standard;
  }
  return 'type' in schema && schema.type === 'object';
}

/** Whether a value was made by `defineTask`, perhaps by that of another copy of this package. */
export const isTaskDefinition = (value: unknown): value is TaskDefinition =>
  typeof value === 'object' && value !== null && problemOf(value) === undefined;

/** Returns the schema of a task's arguments as JSON Schema, for lists of tools. */
export function jsonSchemaOf({ inputSchema }: Pick<TaskDefinition, 'inputSchema'>): object {
  return isStandard(inputSchema)
    ? inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
    : inputSchema;
}

/** Whether a schema validates by itself. */
export function isStandard(schema: TaskSchema): schema is StandardTaskSchema {
  return '~standard' in schema;
}
