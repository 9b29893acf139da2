import { parseJson } from '../request-body.js';

/**
 * Reads the messages in the body of a response.
 *
 * @param body the text of the body, or a part of it with whole lines: JSON, or an event stream
 * @returns the messages; other lines of an event stream are left out
 * @example
 * messagesIn('event: message\ndata: {"jsonrpc":"2.0","method":"ping"}\n\n').length; // 1
 */
export const messagesIn = (body: string): unknown[] =>
  body.split('\n').flatMap((line) => parseJson(line.replace(/^data: ?/, '')) ?? []);
