import { jsonSchemaOf, type TaskDefinition } from '../author/definition.js';

/**
 * Describes a task as a tool for `tools/list`. Protocol 2025-11-25 says how it may be called; the Tasks extension does
 * not, because its server decides.
 */
export function toolOf(
  definition: TaskDefinition,
  era: 'legacy' | 'modern',
): Readonly<Record<string, unknown>> {
  const { name, title, description, annotations, _meta, support } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchemaOf(definition),
    ...(annotations === undefined ? {} : { annotations }),
    ...(era === 'legacy' ? { execution: { taskSupport: support } } : {}),
    ...(_meta === undefined ? {} : { _meta }),
  };
}
