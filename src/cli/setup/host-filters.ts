import { identityOf } from '../../core/engine/mapping.js';
import { read } from '../../core/wire/messages.js';
import type { CatalogFile } from '../inputs/catalog-file.js';

/**
 * Applies the filters of a host's entry to a catalog. They stay in the host's file, and the host applies them itself: this is
 * only for the counts.
 *
 * @param entry the server in the host's file
 * @param catalog what the server lists
 * @returns what the host shows of it
 */
export function shownByHost(entry: object, catalog: CatalogFile): CatalogFile {
  if (catalog.tools === undefined) return catalog;
  const list = (key: string): readonly unknown[] | undefined => {
    const value = read(entry, key);
    return Array.isArray(value) ? value : undefined;
  };
  const allowed = ALLOW.flatMap((key) => {
    const names = list(key);
    return names === undefined || names.includes('*') ? [] : [names.map(withoutArguments)];
  });
  const hidden = HIDE.flatMap((key) => list(key) ?? []);
  const tools = catalog.tools.filter((tool) => {
    const name = identityOf('tools', tool);
    return allowed.every((names) => names.includes(name)) && !hidden.includes(name);
  });
  return { ...catalog, tools };
}

/** Of Gemini CLI and Qwen Code, Codex, and Copilot CLI. */
const ALLOW = ['includeTools', 'enabled_tools', 'tools'];
/** Of Gemini CLI and Qwen Code, Codex, and Cursor and Windsurf. */
const HIDE = ['excludeTools', 'disabled_tools', 'disabledTools'];

/** Gemini CLI also takes `tool(argument)`. */
const withoutArguments = (name: unknown): string => String(name).replace(/\(.*/, '');
