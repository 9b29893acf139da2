/** `preset` is how a host names a preset among its concerns; `any` takes a value away. */
export const RESERVED = { concern: 'preset', value: 'any' } as const;
export const LIMITS = {
  rules: 256,
  fileBytes: 256 * 1024,
  depth: 256,
  concerns: 64,
  values: 64,
  patternLength: 256,
  patternWildcards: 16,
} as const;

const NAME = '^[a-z][a-z0-9_-]{0,63}$';
const VALUE = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$';

const valueName = {
  type: 'string',
  pattern: VALUE,
  description: 'The name of a value: letters, digits, "_", "." and "-", at most 64 characters.',
  examples: ['high'],
} as const;

const offeredValue = {
  description: 'The value of a concern, several of which one has to fit, or `any` to take a value away.',
  type: ['string', 'number', 'array'],
  minItems: 1,
  maxItems: LIMITS.values,
  items: { type: ['string', 'number'] },
  examples: ['high', ['low', 'medium'], 'any'],
} as const;

const mapping = {
  description: 'Concern values by concern; `{}` maps a primitive without a value of its own.',
  type: 'object',
  additionalProperties: offeredValue,
  examples: [{ security: 'high', cost: 'minimal' }],
} as const;

const mappings = (what: string, example: string) =>
  ({
    description: what,
    type: 'object',
    additionalProperties: mapping,
    examples: [{ [example]: { security: 'high' } }],
  }) as const;

const ruleKinds = (what: string) =>
  ({
    description: `The kinds of primitives that the rule ${what}.`,
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { enum: ['tools', 'prompts', 'resources', 'resourceTemplates'] },
    examples: [['tools']],
  }) as const;

/** The JSON Schema of a policy file: the one place where the language's shape is written. */
export const policySchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'mcp-concerns policy',
  description: 'Maps the primitives of an MCP server to concerns, in the terms of the people who use it.',
  type: 'object',
  required: ['version'],
  additionalProperties: false,
  properties: {
    version: { const: 1, description: 'The version of the policy language.', examples: [1] },
    include: {
      description: 'Policies merged into this one before it, relative to this file.',
      type: 'array',
      items: { type: 'string', minLength: 1 },
      examples: [['common.yaml']],
    },
    concerns: {
      description: 'What a host may ask for; declared to hosts in this order.',
      type: 'object',
      maxProperties: LIMITS.concerns,
      propertyNames: { pattern: NAME },
      examples: [{ security: { values: ['low', 'medium', 'high'] } }],
      additionalProperties: {
        type: 'object',
        required: ['values'],
        additionalProperties: false,
        examples: [{ values: ['low', 'medium', 'high'], match: 'at-least' }],
        properties: {
          description: {
            description: 'What the concern means to the person who sets it.',
            type: 'string',
            examples: ['Security level required for the operation'],
          },
          values: {
            description: 'The values in their order, or a range of numbers.',
            type: ['array', 'object'],
            minItems: 1,
            maxItems: LIMITS.values,
            uniqueItems: true,
            items: valueName,
            required: ['min', 'max'],
            additionalProperties: false,
            properties: {
              min: { type: 'number', description: 'The smallest number.', examples: [0] },
              max: { type: 'number', description: 'The largest number.', examples: [500] },
            },
            examples: [['low', 'medium', 'high'], { min: 0, max: 500 }],
          },
          match: {
            description:
              'How a value fits: equal (exact, the default of a list), at least what was asked for, or at most that (the default of a range).',
            enum: ['exact', 'at-least', 'at-most'],
            examples: ['at-most'],
          },
          multiple: {
            description: 'Whether a host may ask for several values, any of which fits (exact only).',
            type: 'boolean',
            examples: [true],
          },
          default: {
            description: 'The value in effect where nothing was asked for; see settings.defaults.',
            type: ['string', 'number'],
            examples: ['medium'],
          },
          'set-by': {
            description: 'Who sets it: the host (default), or the operator, from verified claims alone.',
            enum: ['host', 'operator'],
            examples: ['operator'],
          },
          claim: {
            description: 'The claim that an operator concern is taken from: a literal key, never a path.',
            type: 'string',
            minLength: 1,
            examples: ['custom:tier'],
          },
        },
      },
    },
    presets: {
      description: 'One word for several concerns; a host sends `{preset: safe}` or `?concerns=safe`.',
      type: 'object',
      propertyNames: { pattern: NAME },
      examples: [{ safe: { security: 'high', access: 'read' } }],
      additionalProperties: {
        type: 'object',
        examples: [{ security: 'high' }],
        additionalProperties: {
          description: 'What the preset asks for; null asks for nothing, also against a default.',
          type: ['string', 'number', 'array', 'null'],
          minItems: 1,
          items: { type: 'string' },
          examples: ['high'],
        },
      },
    },
    primitives: {
      description: 'Values by exact name, URI or URI template.',
      type: 'object',
      additionalProperties: false,
      examples: [{ tools: { encryptData: { security: 'high' } } }],
      properties: {
        tools: mappings('Tools by name.', 'encryptData'),
        prompts: mappings('Prompts by name.', 'reviewAccess'),
        resources: mappings('Resources by URI.', 'vault://audit'),
        resourceTemplates: mappings('Resource templates by URI template.', 'vault://keys/{id}'),
      },
    },
    patterns: {
      description: 'The same with `*` for any run of characters; later patterns win over earlier ones.',
      type: 'object',
      additionalProperties: false,
      examples: [{ tools: { 'log*': { security: ['low', 'medium'] } } }],
      properties: {
        tools: mappings('Tools by pattern.', 'log*'),
        prompts: mappings('Prompts by pattern.', 'review*'),
        resources: mappings('Resources by pattern of their URI.', 'vault://*'),
        resourceTemplates: mappings('Resource templates by pattern of the template itself.', 'vault://*'),
      },
    },
    assign: {
      description:
        'Values derived from what the server says of its primitives; later ones win, patterns win over all.',
      type: 'array',
      maxItems: LIMITS.rules,
      examples: [
        [{ when: { '===': [{ var: 'primitive.annotations.readOnlyHint' }, true] }, to: { access: 'read' } }],
      ],
      items: {
        type: 'object',
        required: ['when', 'to'],
        additionalProperties: false,
        properties: {
          when: {
            description:
              'JSON Logic over the primitive: kind, name, title, uri, mimeType, annotations.*, tags.',
            examples: [{ '===': [{ var: 'primitive.annotations.readOnlyHint' }, true] }],
          },
          to: mapping,
        },
      },
    },
    rules: {
      description:
        'JSON Logic that hides or shows primitives for everybody, also for hosts that never set a concern.',
      type: 'array',
      maxItems: LIMITS.rules,
      examples: [
        [
          {
            id: 'no-production-writes',
            hide: ['tools'],
            when: {
              and: [
                { '===': [{ var: 'concerns.environment' }, 'production'] },
                { '===': [{ var: 'primitive.annotations.readOnlyHint' }, false] },
              ],
            },
          },
        ],
      ],
      items: {
        type: 'object',
        required: ['id', 'when'],
        additionalProperties: false,
        properties: {
          id: {
            description: 'The name of the rule, in reasons, logs and tests.',
            type: 'string',
            pattern: NAME,
            examples: ['no-production-writes'],
          },
          hide: ruleKinds('hides; hiding wins over showing'),
          show: ruleKinds('shows whatever the host concerns say'),
          when: {
            description: 'JSON Logic over concerns, primitive, claims and client.capabilities.',
            examples: [{ '===': [{ var: 'concerns.environment' }, 'production'] }],
          },
          reason: {
            description: 'One sentence for people that says why.',
            type: 'string',
            examples: ['Destructive tools are hidden in production'],
          },
        },
      },
    },
    settings: {
      description: 'How the policy is applied.',
      type: 'object',
      additionalProperties: false,
      examples: [{ unmapped: 'hide' }],
      properties: {
        unmapped: {
          description: 'Whether a primitive that nothing maps is shown (default) or hidden.',
          enum: ['show', 'hide'],
          examples: ['hide'],
        },
        defaults: {
          description:
            'When a declared default applies: once a host has set any concern (aware, the default), always, or never.',
          enum: ['aware', 'always', 'never'],
          examples: ['always'],
        },
        invalid: {
          description:
            'What a host value outside `values` does: an error (default), ignored, or clamped to the nearest bound of a range.',
          enum: ['error', 'ignore', 'clamp'],
          examples: ['ignore'],
        },
        enforcement: {
          description:
            'advisory filters lists (default); shadow filters nothing and logs what it would hide.',
          enum: ['advisory', 'enforce', 'shadow'],
          examples: ['shadow'],
        },
        'page-size': {
          description:
            'Primitives on a page of a list. Without it a list is one page, as long as it fits a response.',
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          examples: [100],
        },
        transparency: {
          description: 'Whether the values of each listed primitive are put into its _meta.concerns.',
          type: 'boolean',
          examples: [true],
        },
      },
    },
  },
} as const;

/** A policy file as YAML gives it, once it fits the schema. */
export type { PolicyDocument } from './generated/policy-document.js';
