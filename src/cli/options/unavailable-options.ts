const ASKS = ['concern', 'claim'] as const;
const SOURCES = ['catalog', 'url', 'header'] as const;

/** Flags that other commands have, and why this one has not. */
const WHY_NOT: Readonly<Record<string, readonly (readonly [flags: readonly string[], why: string])[]>> = {
  check: [[ASKS, 'it looks at all that hosts can ask for']],
  test: [
    [ASKS, 'each test says what is asked for'],
    [SOURCES, 'a test file names its catalog or server'],
    [['policy'], 'a test file names its policy'],
  ],
  diff: [
    [ASKS, 'it compares all that hosts can ask for'],
    [['policy'], 'OLD and NEW are the policies'],
  ],
  tokens: [[ASKS, 'it counts all configurations; "mcp-concerns list" counts one']],
  snapshot: [
    [[...ASKS, 'policy'], 'it writes what the server lists, whatever a policy makes of it'],
    [['format'], 'a catalog is JSON'],
  ],
  init: [
    [ASKS, 'the policy that it writes is for every host'],
    [['policy'], '-o names the policy that it writes'],
    [['format'], 'a policy is YAML'],
  ],
  fmt: [
    [[...ASKS, ...SOURCES, 'timeout'], 'it looks at the text of policies alone'],
    [['format'], 'there is one way to format'],
  ],
  compile: [
    [ASKS, 'the compiled policy is for every host'],
    [['policy'], 'policies stand there without it'],
    [[...SOURCES, 'timeout'], 'it looks at policies alone'],
    [['format'], 'a compiled policy is JSON'],
  ],
  serve: [
    [['claim'], 'it has nobody to verify claims; "mcp-concerns list" shows what a caller with them sees'],
    [['catalog'], 'what a catalog lists cannot be called; give --url or a command after --'],
    [['timeout'], 'it waits as long as the host does'],
    [['format'], 'it speaks MCP'],
  ],
};

/**
 * @param command the command's name
 * @param flag the name of an option that it does not have
 * @returns why it has not what other commands have, the beginning of a sentence left out
 * @example
 * whyNotHere('fmt', 'url'); // 'it looks at the text of policies alone'
 */
export function whyNotHere(command: string, flag: string): string | undefined {
  return WHY_NOT[command]?.find(([flags]) => flags.includes(flag))?.[1];
}
