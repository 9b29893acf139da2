/**
 * Counts the lines of a TypeScript file that are code: neither blank, nor comments, nor imports, nor exports from other
 * files. A line with code and a comment is code.
 */
export function linesOfCode(text: string): number {
  let count = 0;
  let inComment = false;
  let inImport = false;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    if (inComment) {
      inComment = !line.includes('*/');
    } else if (inImport) {
      inImport = !/\bfrom '|^\}/.test(line);
    } else if (/^\{?\/\*/.test(line)) {
      inComment = !line.includes('*/');
    } else if (/^(import[ {]|export (type )?\{)/.test(line)) {
      inImport = !line.endsWith(';');
    } else if (!line.startsWith('//')) count++;
  }
  return count;
}
