import { read } from '../../../src/core/wire/messages.js';
import { type Dialect, listOf, objectOf, type Reply, textOf } from './dialect.js';

const usage = { input_tokens: 1, output_tokens: 1 };

function contentOf(reply: Reply, id: string): Record<string, unknown> {
  if ('text' in reply) return { type: 'text', text: reply.text };
  return { type: 'tool_use', id: `toolu_${id}`, name: reply.call.name, input: reply.arguments };
}

const stopReason = (reply: Reply): string => ('text' in reply ? 'end_turn' : 'tool_use');

const message = (id: string, rest: object): object => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  stop_sequence: null,
  usage,
  ...rest,
});

/** The Messages API of Anthropic. */
export const anthropic: Dialect = {
  matches: (path) => path.endsWith('/v1/messages'),
  read: (body) => ({
    streams: read(body, 'stream') === true,
    tools: listOf(read(body, 'tools')).map((tool) => ({
      name: textOf(read(tool, 'name')),
      deferred: read(tool, 'defer_loading') === true,
      definition: objectOf(tool),
    })),
  }),
  stream: (reply, id) => {
    const isText = 'text' in reply;
    const block = contentOf(reply, id);
    const start = isText ? { ...block, text: '' } : { ...block, input: {} };
    const delta = isText
      ? { type: 'text_delta', text: reply.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(reply.arguments) };
    const events = [
      { type: 'message_start', message: message(id, { content: [], stop_reason: null }) },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
    return events.map((data) => ({ name: data.type, data }));
  },
  whole: (reply, id) => message(id, { content: [contentOf(reply, id)], stop_reason: stopReason(reply) }),
};
