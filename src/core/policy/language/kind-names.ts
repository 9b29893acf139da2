import type { Kind } from '../../engine/policy.js';

/** The name of each kind in messages, in the singular and the plural. */
export const KIND_NAMES: { readonly [K in Kind]: readonly [singular: string, plural: string] } = {
  tools: ['tool', 'tools'],
  prompts: ['prompt', 'prompts'],
  resources: ['resource', 'resources'],
  resourceTemplates: ['resource template', 'resource templates'],
};
