import { policySchema } from './generated/policy-schema.js';

export { type PolicyDocument, policySchema } from './generated/policy-schema.js';

const { concerns, settings } = policySchema.properties;
const { values } = concerns.additionalProperties.properties;

/** Names that policies cannot define: hosts choose a preset as `preset`, and mappings remove a value with `any`. */
export const RESERVED = { concern: 'preset', value: 'any' } as const;

/** Returns what a setting is called in a compiled policy: `page-size` becomes `pageSize`. */
export const compiledName = (setting: string): string =>
  setting.replace(/-./g, (dash) => dash.slice(1).toUpperCase());

type LimitName = 'fileBytes' | 'depth' | 'concerns' | 'values' | 'patternLength' | 'patternWildcards';

/** The limits of the policy language: numbers of entries, bytes of a file, levels of nesting, characters. */
export const LIMITS: Readonly<Record<LimitName, number>> = {
  fileBytes: 256 * 1024,
  depth: 256,
  concerns: concerns.maxProperties,
  values: values.maxItems,
  patternLength: settings.properties.methods.items.maxLength,
  patternWildcards: 16,
};

/** The pattern of a value that hosts can set. It allows only characters that they can send in URLs and headers unescaped. */
export const VALUE_NAME = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$';
/** The pattern of a value that only claims set: scopes, ARNs and names of groups. It has no control characters. */
export const CLAIMED_VALUE: string = values.items.pattern;
/** The pattern of `values` that are neither a list nor a range: the servers of the endpoint. */
export const SERVER_VALUES: string = values.pattern;
