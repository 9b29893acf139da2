import { read } from '../../wire/messages.js';
import type { Exchange } from '../request/exchange.js';
import type { Form } from './form.js';

/** What a person did with a form. `none`: there was no answer in time, or the client refused to show it. */
export type FormAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' | 'none' };

/** A host without a person may never answer. Longer than a person needs, and shorter than hosts keep a call open. */
export const LONGEST_WAIT = 120_000;

/**
 * Shows a person a form, while a call of the client waits (MCP 2025-11-25, "Elicitation").
 *
 * @param exchange the call
 * @param form the form
 * @returns what the person did
 */
export function askPerson(exchange: Exchange, form: Form): Promise<FormAnswer> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ action: 'none' }), LONGEST_WAIT);
    exchange.askClient('elicitation/create', { ...form }, (response) => {
      clearTimeout(timer);
      resolve(('result' in response ? readFormAnswer(response.result) : undefined) ?? { action: 'none' });
    });
  });
}

/** Returns what a person did, from a client's answer; `undefined` if it is not an answer to a form. */
export function readFormAnswer(answer: unknown): FormAnswer | undefined {
  const action = read(answer, 'action');
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') return undefined;
  const content = read(answer, 'content');
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return { action, content: isObject ? { ...content } : {} };
}
