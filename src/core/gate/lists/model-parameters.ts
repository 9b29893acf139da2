import type { Concern } from '../../engine/policy.js';

/** What stands for no value in arguments of tools and prompts. No value of a concern has this name. */
export const ANY = 'any';

/** How many tools a model can add to what a session is shown. */
export const MAX_ADDED = 50;

/** A concern of the policy with such a name wins. */
const TOOL_PARAMETERS = {
  list: { type: 'boolean', description: 'Names the hidden tools that you can show.' },
  find: { type: 'string', description: 'Names those with these words.' },
  show: {
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_ADDED,
    description: 'Shows the tools with these names too.',
  },
};

/** What a model does to a concern with its argument. */
const FREE = 'Replaces the value in effect. "any" shows all values.';
const NARROWS = 'Hides more, and never shows more than the person chose. "any" removes what you set.';

/** The arguments about tools that only concerns with `model: free` hide. */
export const ABOUT_TOOLS: readonly string[] = Object.keys(TOOL_PARAMETERS);

/** Of all descriptions of the values of one concern together, in characters: every request of a host pays for them. */
const MAX_DESCRIBED = 640;
/** A shorter part of a description tells nothing. */
const MIN_DESCRIPTION = 12;

/** The schema of the arguments of a tool, by their names. */
export interface ModelInputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties: false;
}

/**
 * Returns the input schema of the tool `concerns`: one property for each concern that is open to the model and, if it may show
 * more, those about hidden tools.
 *
 * @param concerns the concerns that are open to the model
 * @example
 * inputSchemaFor([topic]).properties.topic; // { type: 'string', enum: ['news', 'stocks', 'any'], description: … }
 */
export const inputSchemaFor = (concerns: readonly Concern[]): ModelInputSchema => ({
  type: 'object',
  properties: {
    ...(concerns.some(({ model }) => model === 'free') ? TOOL_PARAMETERS : {}),
    ...Object.fromEntries(concerns.map((concern) => [concern.name, propertyFor(concern)])),
  },
  additionalProperties: false,
});

function propertyFor(concern: Concern): object {
  const { values, multiple, model } = concern;
  const effect = model === 'free' ? FREE : NARROWS;
  const description = [...(concern.description === undefined ? [] : [`${concern.description}.`]), effect];
  const about = { description: [...description, ...meaningsOf(concern)].join(' ') };
  if ('min' in values) {
    const number = { type: 'number', minimum: values.min, maximum: values.max };
    return { anyOf: [number, { type: 'string', enum: [ANY] }], ...about };
  }
  const one = { type: 'string', enum: [...values, ANY] };
  return multiple ? { type: 'array', items: one, ...about } : { ...one, ...about };
}

const lastOf = (text: string, separator: RegExp): number => [...text.matchAll(separator)].at(-1)?.index ?? 0;

/** Returns what the values mean, each as long as there is room for all. */
function meaningsOf({ values, valueDescriptions = {} }: Concern): readonly string[] {
  const all = Object.entries(valueDescriptions);
  const isWide = 'min' in values || MAX_DESCRIBED / values.length >= MIN_DESCRIPTION;
  // Of many values, those above others tell most.
  const described = isWide ? all : all.filter(([value]) => !value.includes('.'));
  const letters = Math.floor(MAX_DESCRIBED / Math.max(1, described.length));
  if (described.length === 0 || letters < MIN_DESCRIPTION) return [];
  const cut = (text: string) => {
    if (text.length <= letters) return text;
    // One letter more, so that a part which just fits is whole.
    const start = text.slice(0, letters + 1);
    // Never in a word: a name without its end is a wrong name.
    const end = [/[,;]/g, /[\s:]+/g].map((separator) => lastOf(start, separator)).find((at) => at > 0) ?? 0;
    return start
      .slice(0, end)
      .trim()
      .replace(/[:,;]$/, '');
  };
  const parts = described.map(([value, text]) => [value, cut(text)].filter((part) => part !== '').join(': '));
  return [`${parts.join('; ')}.`];
}
