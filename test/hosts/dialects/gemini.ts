import { read } from '../../../src/core/wire/messages.js';
import { type Dialect, listOf, objectOf, type Reply, textOf } from './dialect.js';

function whole(reply: Reply, id: string): object {
  const part =
    'text' in reply
      ? { text: reply.text }
      : { functionCall: { id, name: reply.call.name, args: reply.arguments } };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'scripted',
    responseId: id,
  };
}

/** The Gemini API of Google. */
export const gemini: Dialect = {
  matches: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read: (body, path) => ({
    streams: path.endsWith(':streamGenerateContent'),
    tools: listOf(read(body, 'tools'))
      .flatMap((tool) => listOf(read(tool, 'functionDeclarations')))
      .map((tool) => ({ name: textOf(read(tool, 'name')), deferred: false, definition: objectOf(tool) })),
  }),
  stream: (reply, id) => [{ data: whole(reply, id) }],
  whole,
};
