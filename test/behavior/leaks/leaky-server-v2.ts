import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { read } from '../../../src/core/wire/messages.js';
import { chatter, isVaried, relationOf, resultOf } from './leaky-server.js';
import { ERROR, ROWS } from './rows.js';

const [DISCOVERED] = ROWS['server/discover']?.results ?? [];

/**
 * A server of SDK v2 that names everything hidden in every message that it sends. The methods of the Skills extension
 * are among its rows.
 *
 * @param instructs whether it has instructions
 */
export function leakyServerV2(instructs: boolean): Server {
  const instructions = instructs ? { instructions: String(read(DISCOVERED, 'instructions')) } : {};
  const server = new Server(
    { name: 'leaky', version: '1' },
    {
      ...instructions,
      capabilities: {
        tools: {},
        prompts: {},
        resources: { subscribe: true },
        completions: {},
        logging: {},
        extensions: { 'io.modelcontextprotocol/skills': {} },
      },
    },
  );
  server.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    if (isVaried(params)) {
      const options = relationOf(mcpReq.id, params);
      // A transport may refuse what is not a message.
      for (const message of chatter()) {
        void server.transport?.send(message as never, options).catch(() => undefined);
      }
    }
    const result = resultOf(method, params);
    if (result === undefined) throw new ProtocolError(ERROR.code, ERROR.message, ERROR.data);
    return { ...result };
  };
  return server;
}
