import { read } from '../../../src/core/wire/messages.js';
import { type Dialect, listOf, type OfferedTool, objectOf, type Reply, textOf } from './dialect.js';

/** A tool may be a group of tools: `{type: "namespace", name, tools}`. */
function toolsIn(tool: unknown, group?: string): OfferedTool[] {
  const name = textOf(read(tool, 'name')) || textOf(read(tool, 'type'));
  if (read(tool, 'type') === 'namespace') {
    return listOf(read(tool, 'tools')).flatMap((each) => toolsIn(each, name));
  }
  const deferred = read(tool, 'defer_loading') === true;
  return [{ name, deferred, definition: objectOf(tool), ...(group === undefined ? {} : { group }) }];
}

function itemOf(reply: Reply, id: string): Record<string, unknown> {
  if ('text' in reply) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  }
  const { name, group } = reply.call;
  return {
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${id}`,
    name,
    ...(group === undefined ? {} : { namespace: group }),
    arguments: JSON.stringify(reply.arguments),
  };
}

const responseOf = (id: string, status: string, output: readonly object[]): object => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: 1,
  model: 'scripted',
  status,
  output,
  usage: {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  },
});

/** The Responses API of OpenAI. */
export const openaiResponses: Dialect = {
  matches: (path) => path.endsWith('/responses'),
  read: (body) => ({
    streams: read(body, 'stream') === true,
    tools: listOf(read(body, 'tools')).flatMap((tool) => toolsIn(tool)),
  }),
  stream: (reply, id) => {
    const item = itemOf(reply, id);
    const events = [
      { type: 'response.created', response: responseOf(id, 'in_progress', []) },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: responseOf(id, 'completed', [item]) },
    ];
    return events.map((data, index) => ({ name: data.type, data: { ...data, sequence_number: index } }));
  },
  whole: (reply, id) => responseOf(id, 'completed', [itemOf(reply, id)]),
};
