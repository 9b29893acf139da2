import { QUESTIONS, read } from '../../core/wire/messages.js';
import type { TaskQuestion } from '../author/context.js';

/** The largest question, in bytes of JSON. Several must fit into a record. */
export const MAX_QUESTION_BYTES = 32_000;

/**
 * Returns the kind of a question, as records keep it: the name of the capability, with the mode of an elicitation.
 *
 * @returns `undefined` if tasks cannot ask such a question
 */
export function questionKind(question: TaskQuestion): string | undefined {
  const { method, params } = question;
  if (!Object.hasOwn(QUESTIONS, method)) return undefined;
  if (method !== 'elicitation/create') return QUESTIONS[method];
  return params !== undefined && 'mode' in params && params.mode === 'url'
    ? 'elicitation.url'
    : 'elicitation.form';
}

/**
 * Returns the kinds of questions that a client can answer, from its declared capabilities. A client that declares
 * elicitation without a mode supports forms (MCP 2025-11-25, "Elicitation: Capabilities").
 */
export function answerable(capabilities: unknown): readonly string[] {
  const elicitation = read(capabilities, 'elicitation');
  const url = read(elicitation, 'url') !== undefined;
  const form = elicitation !== undefined && (read(elicitation, 'form') !== undefined || !url);
  return [
    ...(form ? ['elicitation.form'] : []),
    ...(url ? ['elicitation.url'] : []),
    ...(read(capabilities, 'sampling') === undefined ? [] : ['sampling']),
    ...(read(capabilities, 'roots') === undefined ? [] : ['roots']),
  ];
}
