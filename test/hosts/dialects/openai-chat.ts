import { read } from '../../../src/core/wire/messages.js';
import { type Dialect, listOf, objectOf, type Reply, textOf } from './dialect.js';

function messageOf(reply: Reply, id: string): object {
  if ('text' in reply) return { role: 'assistant', content: reply.text };
  const call = { name: reply.call.name, arguments: JSON.stringify(reply.arguments) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }],
  };
}

const finishReason = (reply: Reply): string => ('text' in reply ? 'stop' : 'tool_calls');
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const frame = (id: string, object: string, choice: object): object => ({
  id: `chatcmpl-${id}`,
  object,
  created: 1,
  model: 'scripted',
  choices: [{ index: 0, ...choice }],
});

/** The Chat Completions API of OpenAI, which many providers copy. */
export const openaiChat: Dialect = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    streams: read(body, 'stream') === true,
    tools: listOf(read(body, 'tools')).map((tool) => ({
      name: textOf(read(tool, 'function', 'name')),
      deferred: false,
      definition: objectOf(tool),
    })),
  }),
  stream: (reply, id) => {
    const part = (choice: object): object => frame(id, 'chat.completion.chunk', choice);
    return [
      { data: part({ delta: messageOf(reply, id), finish_reason: null }) },
      { data: { ...part({ delta: {}, finish_reason: finishReason(reply) }), usage } },
      { data: '[DONE]' },
    ];
  },
  whole: (reply, id) => ({
    ...frame(id, 'chat.completion', { message: messageOf(reply, id), finish_reason: finishReason(reply) }),
    usage,
  }),
};
