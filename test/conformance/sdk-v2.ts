import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type JsonSchemaType,
  McpServer,
  MissingRequiredClientCapabilityError,
  type PrimitiveSchemaDefinition,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import { supportsTasks } from '../../src/core/wire/task-streams.js';
import { type Tasks, withTasks } from '../../src/tasks/index.js';
import { modernTask } from '../../src/tasks/wire/describe.js';
import {
  CONSTANT_RESOURCES,
  CONSTANT_TOOLS,
  PROMPTS,
  promptArguments,
  SCHEMA_TOOL,
  TEMPLATE,
  text,
} from './primitives.js';
import { createFixtureTasks } from './tasks.js';

type Run = (
  args: Record<string, unknown>,
  ctx: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

interface FixtureTool {
  readonly description: string;
  readonly inputSchema?: JsonSchemaType;
  readonly run: Run;
}

const state = createRequestStateCodec<{ step: number }>({ key: randomBytes(32) });

/**
 * The fixture for protocol 2026-07-28: SDK v2, one server for each request.
 *
 * @param prepare receives every server before it connects
 * @returns a fetch handler, and a function that ends all streams
 */
export function createV2Fixture(prepare: (server: McpServer) => void) {
  const tasks = createFixtureTasks();
  const handler = createMcpHandler(
    () => {
      const changed: Record<string, FixtureTool> = {
        test_trigger_tool_change: announces(() => handler.notify.toolsChanged()),
        test_trigger_prompt_change: announces(() => handler.notify.promptsChanged()),
      };
      const server = createServer({
        ...SIMPLE_TOOLS,
        ...changed,
        ...ASKING_TOOLS,
        test_tool_with_task: asksBeforeTask(tasks),
      });
      withTasks(server, tasks);
      prepare(server);
      return server;
    },
    { legacy: 'reject' },
  );
  return { fetch: (request: Request) => handler.fetch(request), close: () => handler.close() };
}

function createServer(tools: Readonly<Record<string, FixtureTool>>): McpServer {
  const server = new McpServer(
    { name: 'conformance-v2', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        logging: {},
      },
      requestState: { verify: state.verify },
    },
  );
  for (const [name, { description, inputSchema = { type: 'object' }, run }] of Object.entries(tools)) {
    server.registerTool(
      name,
      { description, inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema) },
      run,
    );
  }
  for (const prompt of PROMPTS) {
    const { name, description } = prompt;
    server.registerPrompt(name, { description, argsSchema: z.object(promptArguments(prompt)) }, (args) => ({
      messages: prompt.messages(args),
    }));
  }
  addAskingPrompt(server);
  for (const { name, uri, body, ...config } of CONSTANT_RESOURCES) {
    server.registerResource(name, uri, config, () => ({
      contents: [{ uri, mimeType: config.mimeType, ...body }],
    }));
  }
  server.registerResource(
    TEMPLATE.name,
    new ResourceTemplate(TEMPLATE.uriTemplate, { list: undefined, complete: { id: () => ['123'] } }),
    TEMPLATE.config,
    (uri, { id }) => TEMPLATE.read(uri, String(id)),
  );

  // McpServer turns every error of a tool into a result. A missing client extension must stay an error.
  server.server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined;
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
    }
    try {
      return await tool.run(params.arguments ?? {}, ctx);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return { ...text(String(error)), isError: true };
    }
  });
  return server;
}

const HEADER_SCHEMA = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
} as JsonSchemaType;

const SIMPLE_TOOLS: Record<string, FixtureTool> = {
  greet: { description: 'Answers at once', run: ({ name }) => text(`Hello, ${name}!`) },
  ...Object.fromEntries(
    CONSTANT_TOOLS.map(({ name, description, content }) => [name, { description, run: () => ({ content }) }]),
  ),
  [SCHEMA_TOOL.name]: { ...SCHEMA_TOOL, run: () => text('Fits') },
  test_error_handling: {
    description: 'Always fails',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_custom_header: {
    description: 'Has an argument that is also sent as a header',
    inputSchema: HEADER_SCHEMA,
    run: ({ region }) => text(`Region ${region}`),
  },
  test_logging_tool: {
    description: 'Logs, if the request asked for it',
    run: async (_args, ctx) => {
      await ctx.mcpReq.log('info', 'Called');
      return text('Logged');
    },
  },
  test_tool_with_progress: {
    description: 'Reports its progress',
    run: async (_args, ctx) => {
      const { progressToken = 0 } = ctx.mcpReq._meta ?? {};
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 };
        await ctx.mcpReq.notify({ method: 'notifications/progress', params });
        await sleep(50);
      }
      return text('Done');
    },
  },
};

function announces(change: () => void): FixtureTool {
  return {
    description: 'Announces that a list changed',
    run: () => {
      change();
      return text('Changed');
    },
  };
}

const asksFor = (message: string, field: string, property: PrimitiveSchemaDefinition = { type: 'string' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: property }, required: [field] },
  });

const NAME = asksFor('What is your name?', 'name');
const CONFIRM = asksFor('Please confirm', 'ok', { type: 'boolean' });
const ROOTS = inputRequired.listRoots();
const samples = (content: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: content } }],
    maxTokens: 100,
  });

/** A tool that requests input until it has all of it. With `stateful`, it keeps the input in a signed state. */
function asking(inputRequests: InputRequests, stateful = false): FixtureTool {
  return {
    description: 'Asks the client before it answers',
    run: async (_args, ctx) => {
      const { inputResponses, requestState } = ctx.mcpReq;
      const missing = Object.keys(inputRequests).some(
        (key) => inputResponse(inputResponses, key).kind === 'missing',
      );
      if (!missing && (!stateful || requestState() !== undefined)) {
        return text(`${stateful ? 'state-ok ' : ''}${JSON.stringify(inputResponses)}`);
      }
      return inputRequired({
        inputRequests,
        ...(stateful && { requestState: await state.mint({ step: 1 }) }),
      });
    },
  };
}

const ASKING_TOOLS: Record<string, FixtureTool> = {
  test_missing_capability: asking({ question: samples('Anything?') }),
  test_streaming_elicitation: asking({ user_name: NAME }),
  test_input_required_result_elicitation: asking({ user_name: NAME }),
  test_input_required_result_sampling: asking({
    capital_question: samples('What is the capital of France?'),
  }),
  test_input_required_result_list_roots: asking({ client_roots: ROOTS }),
  test_input_required_result_request_state: asking({ confirm: CONFIRM }, true),
  test_input_required_result_tampered_state: asking({ confirm: CONFIRM }, true),
  test_input_required_result_multiple_inputs: asking(
    { user_name: NAME, greeting: samples('Generate a greeting'), client_roots: ROOTS },
    true,
  ),
  test_input_required_result_multi_round: {
    description: 'Asks twice',
    run: async (_args, ctx) => {
      const { step = 0 } = ctx.mcpReq.requestState<{ step: number }>() ?? {};
      const questions = [asksFor('Step 1: name?', 'name'), asksFor('Step 2: color?', 'color')];
      const question = questions[step];
      if (question === undefined) return text('Both answered');
      return inputRequired({
        inputRequests: { [`step${step + 1}`]: question },
        requestState: await state.mint({ step: step + 1 }),
      });
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks only for input that the client supports',
    run: (_args, ctx) => {
      const { sampling, elicitation } = capabilitiesOf(ctx);
      return inputRequired({
        inputRequests: {
          ...(sampling && { sampled: samples('Anything?') }),
          ...(elicitation && { user_name: NAME }),
        },
      });
    },
  },
};

function addAskingPrompt(server: McpServer): void {
  const description = 'A prompt that asks the client first';
  server.registerPrompt('test_input_required_result_prompt', { description }, (ctx) => {
    const { context } = acceptedContent(ctx.mcpReq.inputResponses, 'user_context') ?? {};
    if (context === undefined) {
      const question = asksFor('What context should the prompt use?', 'context');
      return inputRequired({ inputRequests: { user_context: question } });
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: `Use ${context}` } }] };
  });
}

/** Returns the capabilities of the request's client. */
function capabilitiesOf(ctx: ServerContext): ClientCapabilities {
  const envelope = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

/** A tool that asks within its call and becomes a task afterwards, so it is not a task from its start. */
function asksBeforeTask(tasks: Tasks): FixtureTool {
  return {
    description: 'Asks the client, then continues in a task',
    run: async (_args, ctx) => {
      if (!supportsTasks(capabilitiesOf(ctx))) {
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
        });
      }
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'user_name');
      if (answer === undefined) return inputRequired({ inputRequests: { user_name: NAME } });
      const started = await tasks.start({}, 'greet_in_task', { name: answer.name });
      if (!started.ok) throw new Error(started.message);
      return { ...modernTask(started.record, Date.now()), resultType: 'task', content: [] };
    },
  };
}
