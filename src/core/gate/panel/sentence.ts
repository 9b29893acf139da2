import type { PanelState, PanelValue } from './panel-document.js';

/**
 * Says in one or two sentences what is shown, for a model or a person.
 *
 * @param state what is shown
 * @example
 * summaryOf(state); // '10 of 24 tools are shown (about 1414 of 3230 tokens). In effect: security high.'
 */
export function summaryOf({ shown, total, concerns, items }: PanelState): string {
  const inEffect = concerns
    .filter(({ inEffect }) => inEffect.length > 0)
    .map(({ name, inEffect, origin, model = [] }) => {
      const narrowed = `, narrowed by the model to ${listOf(model)}`;
      const byModel = origin === 'model' ? ' (chosen by the model)' : model.length === 0 ? '' : narrowed;
      return `${name} ${listOf(inEffect)}${byModel}`;
    });
  const preferences =
    inEffect.length === 0 ? 'No preferences are in effect.' : `In effect: ${inEffect.join(', ')}.`;
  const added = concerns.flatMap((concern) => concern.added ?? []);
  const more = added.length === 0 ? '' : ` Added by the model: ${added.join(', ')}.`;
  const alone = items.filter((item) => item.alone === true).length;
  const single = alone === 0 ? '' : ` Switched one by one by the person: ${alone}.`;
  return `${shown.tools} of ${total.tools} tools are shown (about ${shown.tokens} of ${total.tokens} tokens). ${preferences}${more}${single}`;
}

const listOf = (values: readonly PanelValue[]): string => values.join(' or ');

/** A result of a tool that contains only text. */
export type TextResult = { readonly content: readonly { readonly type: 'text'; readonly text: string }[] };

export const textResult = (...lines: readonly string[]): TextResult => ({
  content: [{ type: 'text', text: lines.join('\n') }],
});

/** A result of a tool that failed: the text says what to do. */
export const errorResult = (text: string): TextResult & { readonly isError: true } => ({
  ...textResult(text),
  isError: true,
});
