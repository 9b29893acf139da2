import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CreateMessageResultSchema,
  type ElicitRequestFormParams,
  ElicitResultSchema,
  type JSONRPCMessage,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  CONSTANT_RESOURCES,
  CONSTANT_TOOLS,
  PROMPTS,
  promptArguments,
  SCHEMA_TOOL,
  TEMPLATE,
  text,
} from './primitives.js';

/**
 * The fixture for protocol 2025-11-25: SDK v1, one server and one transport for each session.
 *
 * @param prepare receives every server before it connects
 * @returns a fetch handler, and a function that ends all sessions
 */
export function createV1Fixture(prepare: (server: McpServer) => void) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
      // Clients need both to resume a stream.
      eventStore: createEventStore(),
      retryInterval: 100,
    });
    const server = createServer();
    prepare(server);
    await server.connect(transport);
    return transport;
  };

  return {
    fetch: async (request: Request): Promise<Response> => {
      const id = request.headers.get('mcp-session-id');
      const transport = id === null ? await open() : sessions.get(id);
      return transport?.handleRequest(request) ?? new Response('Session not found', { status: 404 });
    },
    close: async (): Promise<void> => {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

function createServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance-v1', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  addTools(server);
  addConversations(server);
  for (const prompt of PROMPTS) {
    const { name, description } = prompt;
    server.registerPrompt(name, { description, argsSchema: promptArguments(prompt) }, (args) => ({
      messages: prompt.messages(args),
    }));
  }
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
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

function addTools(server: McpServer): void {
  for (const { name, description, content } of CONSTANT_TOOLS) {
    server.registerTool(name, { description }, () => ({ content }));
  }
  // Keywords that zod cannot express pass through its metadata.
  const { name, description, inputSchema } = SCHEMA_TOOL;
  server.registerTool(name, { description, inputSchema: z.object({}).meta(inputSchema) }, () => text('Fits'));

  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });

  server.registerTool('test_tool_with_logging', { description: 'Logs while it runs' }, async (extra) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await sleep(50);
    }
    return text('Logged');
  });

  server.registerTool('test_tool_with_progress', { description: 'Reports its progress' }, async (extra) => {
    const { progressToken = 0 } = extra._meta ?? {};
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      await extra.sendNotification({ method: 'notifications/progress', params });
      await sleep(50);
    }
    return text('Done');
  });

  server.registerTool(
    'test_reconnection',
    { description: 'Closes its stream during the call' },
    async (extra) => {
      extra.closeSSEStream?.();
      await sleep(200);
      return text('Reconnected');
    },
  );
}

/** Tools that send the client a request before they answer. */
function addConversations(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model', inputSchema: { prompt: z.string() } },
    async ({ prompt }, extra) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      const request = { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } } as const;
      const { content } = await extra.sendRequest(request, CreateMessageResultSchema);
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
  );

  const field = { type: 'string', description: 'Fill it in' } as const;
  const asks: readonly { name: string; requestedSchema: ElicitRequestFormParams['requestedSchema'] }[] = [
    {
      name: 'test_elicitation',
      requestedSchema: {
        type: 'object',
        properties: { username: field, email: field },
        required: ['username', 'email'],
      },
    },
    {
      name: 'test_elicitation_sep1034_defaults',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
    },
    {
      name: 'test_elicitation_sep1330_enums',
      requestedSchema: {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: {
            type: 'array',
            items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          },
          titledMulti: {
            type: 'array',
            items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
          },
        },
      },
    },
  ];
  for (const { name, requestedSchema } of asks) {
    server.registerTool(
      name,
      { description: 'Asks the user', inputSchema: { message: z.string().optional() } },
      async ({ message = 'Please fill in the form' }, extra) => {
        const request = { method: 'elicitation/create', params: { message, requestedSchema } } as const;
        const { action, content } = await extra.sendRequest(request, ElicitResultSchema);
        return text(`User response: action=${action}, content=${JSON.stringify(content)}`);
      },
    );
  }
}

const titled = (...titles: string[]) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));

/** Keeps the messages of each stream, for clients that resume it with `Last-Event-ID`. */
function createEventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    storeEvent: async (stream, message) => {
      const id = String(events.length);
      events.push({ id, stream, message });
      return id;
    },
    replayEventsAfter: async (last, { send }) => {
      const stream = events[Number(last)]?.stream ?? '';
      for (const event of events.slice(Number(last) + 1)) {
        // The first event of a stream is empty.
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message);
      }
      return stream;
    },
  };
}
