/** In characters. A line of a stack trace is shorter. */
const MAX_LENGTH = 500;
/** Shorter values, such as `1` or `debug`, occur in every text. */
const MIN_SECRET = 6;

const MARK = '[redacted]';

/** What secrets look like: the credentials of a URL, `key=value`, the token of a scheme, long runs of letters and digits. */
const PATTERNS: readonly [RegExp, string][] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, `$1${MARK}@`],
  [/(\?)[^\s"'<>]+/g, `$1${MARK}`],
  [/\b(bearer|basic|token|digest)\s+[^\s,;"']+/gi, `$1 ${MARK}`],
  [
    /\b([\w-]*(?:key|token|secret|password|passwd|pwd|credential|auth)[\w-]*)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&]+)/gi,
    `$1$2${MARK}`,
  ],
  [/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}/g, MARK],
];

/**
 * Prepares a line of a child process for the log. It removes the values of environment variables, everything that looks
 * like a secret, and control characters, and cuts the line.
 *
 * @param line the line
 * @param secrets values that must not appear, such as those of environment variables
 * @returns the line for the log
 * @example
 * redactLine('FATAL: API_KEY=abc is not valid', []); // 'FATAL: API_KEY=[redacted] is not valid'
 */
export function redactLine(line: string, secrets: readonly string[]): string {
  // Long lines are cut first: a pattern must not run over megabytes. A secret at the cut is shorter, but still removed
  // if it looks like one; so the last word of a cut line is removed as well.
  const cut = line.length > 4 * MAX_LENGTH ? line.slice(0, 4 * MAX_LENGTH).replace(/\S*$/, '') : line;
  const known = secrets.filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  let text = known.reduce((before, secret) => before.replaceAll(secret, MARK), cut);
  for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  text = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/**
 * Finds the kinds of errors in a line whose text must not be logged: names of error classes and codes of the system.
 *
 * @param line the line
 * @returns the names
 * @example
 * errorNamesIn('TypeError: cannot read x of Alice'); // ['TypeError']
 */
export function errorNamesIn(line: string): readonly string[] {
  const found = line
    .slice(0, MAX_LENGTH)
    .match(/\b(?:[A-Z][a-z]+){1,4}(?:Error|Exception)\b|\bE[A-Z]{4,14}\b/g);
  return [...new Set(found ?? [])];
}
