import { readFileSync } from 'node:fs';
import { readImports, sourceFiles } from './imports.js';

const PAGE = 'docs/architecture.md';
const START = '<!-- generated from the imports by "npm run generate" -->';
const END = '<!-- end of the generated part -->';

/** @returns the architecture page with its picture redrawn from the imports */
export function architecturePage(): string {
  const page = readFileSync(PAGE, 'utf8');
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start === -1 || end < start) throw new Error(`${PAGE} needs the lines "${START}" and "${END}".`);
  const pictures = [drawFolders('src'), 'Inside of `core`:\n', drawFolders('src/core')].join('\n');
  return `${page.slice(0, start + START.length)}\n\n${pictures}\n${page.slice(end)}`;
}

/** Draws the folders of a folder as a Mermaid flowchart. It omits an arrow if a path of other arrows implies it. */
function drawFolders(within: string): string {
  const folderOf = (file: string): string | undefined => folderIn(within, file);
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of readImports()) {
    const [from, to] = [folderOf(file), target === undefined ? undefined : folderOf(target)];
    if (from === undefined || to === undefined || from === to) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  const arrows = [...edges].flatMap(([from, targets]) =>
    [...targets].filter((to) => !isImplied(edges, from, to)).map((to) => `  ${from} --> ${to}`),
  );
  const connected = new Set([...edges].flatMap(([from, targets]) => [from, ...targets]));
  const alone = [...new Set(sourceFiles().map(folderOf))].flatMap((folder) =>
    folder === undefined || connected.has(folder) ? [] : [`  ${folder}`],
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), ...alone, '```', ''].join('\n');
}

/** @returns the folder directly below another one; files beside the folders belong to none */
function folderIn(within: string, file: string): string | undefined {
  return file.startsWith(`${within}/`) ? /^([^/]+)\//.exec(file.slice(within.length + 1))?.[1] : undefined;
}

/** Whether another path leads from one folder to the other. */
function isImplied(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const reaches = (folder: string): boolean =>
    folder === to || [...(edges.get(folder) ?? [])].some((next) => reaches(next));
  return [...(edges.get(from) ?? [])].some((next) => next !== to && reaches(next));
}
