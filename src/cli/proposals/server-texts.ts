import type { Finding } from '../../policy/language/findings.js';

/** The finding about texts of the server, which no policy can change. */
const CODE = 'names-hidden';

const COMMENT = `# mcp-concerns-ignore ${CODE}: the text is the server's, which no policy can change`;

/**
 * Silences the findings of a new policy that are about texts of the server, each above its entry.
 *
 * @param files the texts of the policy's files, by path
 * @param findings what `check` finds in them
 * @returns the texts with the comments; the same texts if there is no such finding
 * @example
 * silenceServerTexts(new Map([['policy.yaml', text]]), findings);
 */
export function silenceServerTexts(
  files: ReadonlyMap<string, string>,
  findings: readonly Finding[],
): ReadonlyMap<string, string> {
  const texts = findings.filter(({ code }) => code === CODE);
  if (texts.length === 0) return files;
  const linesIn = (path: string) =>
    new Set(texts.filter(({ file }) => file === path).map(({ line }) => line));
  return new Map([...files].map(([path, text]) => [path, withComments(text, linesIn(path))]));
}

function withComments(text: string, lines: ReadonlySet<number>): string {
  const written = text.split('\n').flatMap((line, index) => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    return lines.has(index + 1) ? [`${indent}${COMMENT}`, line] : [line];
  });
  return written.join('\n');
}
