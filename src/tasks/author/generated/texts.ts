// Made by "npm run generate" from texts.yaml.
export const BAD_TOOL_NAME = "its name must have 1 to 128 letters, digits, \"_\", \"-\", \".\" or \"/\"." as const;
export const BAD_SCHEMA = "inputSchema must be a JSON Schema with type \"object\", or a schema that describes itself as JSON Schema, such as z.object of Zod 4.2." as const;
export const EXPORT_NOT_ARRAY = "it is not an array. Export the definitions, not what createTasks returns: export const tasks = [defineTask({ ... })]." as const;
export const exportNotDefined = ({ number }: { readonly number: string | number }) => `element ${number} was not made by defineTask. Wrap it: defineTask({ name, ... }).`;
export const exportedTwice = ({ name }: { readonly name: string | number }) => `two tasks have the name "${name}". Rename one of them.`;
export const halfConfigured = ({ set, missing }: { readonly set: string | number; readonly missing: string | number }) => `MCP_CONCERNS_TASKS_${set} is set, but MCP_CONCERNS_TASKS_${missing} is not. Set both to run tasks as Lambda durable functions, or neither to run them in this process.`;
export const NOT_A_SERVER = "The value passed to withTasks is not a Server or McpServer of an MCP SDK. If a framework makes the server, pass the server inside it." as const;
export const argumentsTooLarge = ({ bytes, most }: { readonly bytes: string | number; readonly most: string | number }) => `they have ${bytes} bytes, and a task takes at most ${most}. Pass a link instead.`;
export const BAD_CURSOR = "The cursor is not valid. List again without a cursor." as const;
export const BAD_RESPONSES = "params.inputResponses must be an object: an answer for each key." as const;
export const BAD_TASK = "params.task must be an object, and its ttl a number of milliseconds." as const;
export const answerTooLarge = ({ key }: { readonly key: string | number }) => `The answer to ${key} has more than 256 KB.`;
export const cannotCancel = ({ status }: { readonly status: string | number }) => `Cannot cancel task: already in terminal status '${status}'`;
export const mustBeTask = ({ tool }: { readonly tool: string | number }) => `Tool ${tool} must be called as a task.`;
export const callPlainly = ({ tool }: { readonly tool: string | number }) => `Tool ${tool} cannot be called as a task. Call it without params.task.`;
export const tooSlow = ({ tool, seconds }: { readonly tool: string | number; readonly seconds: string | number }) => `Tool ${tool} needs more than ${seconds} seconds. Call it as a task.`;
