import type { Concern } from '../../engine/policy.js';

/** What stands for no value in arguments of tools and prompts. No value of a concern has this name. */
export const ANY = 'any';

/**
 * Returns the input schema of the tool `concerns`: one property for each concern that is open to the model.
 *
 * @param concerns the concerns that are open to the model
 * @example
 * inputSchemaFor([topic]).properties.topic; // { type: 'string', enum: ['news', 'stocks', 'any'], description: … }
 */
export const inputSchemaFor = (concerns: readonly Concern[]) => ({
  type: 'object',
  properties: Object.fromEntries(concerns.map((concern) => [concern.name, propertyFor(concern)])),
  additionalProperties: false,
});

function propertyFor(concern: Concern): object {
  const { values, multiple, description, model } = concern;
  const effect =
    model === 'free'
      ? `Replaces the value in effect. "${ANY}" shows all values.`
      : `Hides more, and never shows more than the person chose. "${ANY}" removes what you set.`;
  const about = { description: description === undefined ? effect : `${description}. ${effect}` };
  if ('min' in values) {
    const number = { type: 'number', minimum: values.min, maximum: values.max };
    return { anyOf: [number, { type: 'string', enum: [ANY] }], ...about };
  }
  const one = { type: 'string', enum: [...values, ANY] };
  return multiple ? { type: 'array', items: one, ...about } : { ...one, ...about };
}
