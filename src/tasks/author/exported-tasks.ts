import { isTaskDefinition, type TaskDefinition } from './definition.js';
import { TaskDefinitionError } from './errors.js';
import { EXPORT_NOT_ARRAY, exportedTwice, exportNotDefined } from './generated/texts.js';

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
  if (!Array.isArray(exported)) return wrong(EXPORT_NOT_ARRAY);
  const definitions: readonly unknown[] = exported;
  const names = new Set<string>();
  return definitions.map((definition, index) => {
    if (!isTaskDefinition(definition)) return wrong(exportNotDefined({ number: index + 1 }));
    const { name } = definition;
    if (names.has(name)) return wrong(exportedTwice({ name }));
    names.add(name);
    return definition;
  });
}
