import { isTaskDefinition, type TaskDefinition } from './definition.js';
import { TaskDefinitionError } from './errors.js';

/**
 * Reads what a server module exports as `tasks`.
 *
 * @param exported the export
 * @param module the module, for messages
 * @returns the definitions
 * @throws {TaskDefinitionError} if it is not an array of definitions, or if two of them have the same name
 * @example
 * readExportedTasks([report], './server.js');
 */
export function readExportedTasks(exported: unknown, module: string): readonly TaskDefinition[] {
  const wrong = (what: string): never => {
    throw new TaskDefinitionError(`${module} exports "tasks", but ${what}`);
  };
  if (!Array.isArray(exported))
    return wrong(
      'it is not an array. Export the definitions, not what createTasks returns: export const tasks = [defineTask({ ... })].',
    );
  const definitions: readonly unknown[] = exported;
  const names = new Set<string>();
  return definitions.map((definition, index) => {
    if (!isTaskDefinition(definition))
      return wrong(`element ${index + 1} was not made by defineTask. Wrap it: defineTask({ name, ... }).`);
    const { name } = definition;
    if (names.has(name)) return wrong(`two tasks have the name "${name}". Rename one of them.`);
    names.add(name);
    return definition;
  });
}
