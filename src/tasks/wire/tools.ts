import { jsonSchemaOf, type TaskDefinition } from '../author/definition.js';

/**
 * Describes a task as a tool for `tools/list`.
 *
 * @param definition the task
 * @param withSupport whether to say how it may be called: in protocol 2025-11-25, and to a gate, which leaves out tools that
 *   a client cannot call. In the Tasks extension, the server decides, and tools do not tell.
 */
export function toolOf(definition: TaskDefinition, withSupport: boolean): Readonly<Record<string, unknown>> {
  const { name, title, description, annotations, _meta, support } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchemaOf(definition),
    ...(annotations === undefined ? {} : { annotations }),
    ...(withSupport ? { execution: { taskSupport: support } } : {}),
    ...(_meta === undefined ? {} : { _meta }),
  };
}
