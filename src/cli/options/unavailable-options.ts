const PREFERENCES = ['concern', 'claim'] as const;
const INPUTS = ['catalog', 'url', 'header'] as const;

/** Options that other commands take, with the reason why a command does not. */
const REASONS: Readonly<Record<string, readonly (readonly [options: readonly string[], reason: string])[]>> =
  {
    check: [[PREFERENCES, 'it checks the policy for all preferences']],
    test: [
      [PREFERENCES, 'each test names its preferences'],
      [INPUTS, 'each test file names its catalog or server'],
      [['policy'], 'each test file names its policy'],
    ],
    diff: [
      [PREFERENCES, 'it compares all configurations'],
      [['policy'], 'OLD and NEW are the policies'],
    ],
    tokens: [[PREFERENCES, 'it counts all configurations. "mcp-concerns list" counts one']],
    docs: [[PREFERENCES, 'it describes all presets and values']],
    lsp: [
      [['policy', ...INPUTS], 'it reads the project file. See mcp-concerns.config.yaml'],
      [PREFERENCES, 'it shows the decision for each preset'],
      [['timeout'], 'it never starts a server'],
      [['format'], 'it speaks the Language Server Protocol'],
    ],
    completion: [
      [[...PREFERENCES, ...INPUTS, 'policy', 'timeout'], 'it completes the command line after --line'],
      [['format'], 'the shell decides the format'],
    ],
    snapshot: [
      [[...PREFERENCES, 'policy'], 'it writes everything that the server lists, without a policy'],
      [['format'], 'a catalog is always JSON'],
    ],
    init: [
      [PREFERENCES, 'it writes a policy for all hosts'],
      [['policy'], 'use -o to name the policy that it writes'],
      [['format'], 'a policy is always YAML'],
    ],
    fmt: [
      [[...PREFERENCES, ...INPUTS, 'timeout'], 'it reads only the text of policies'],
      [['format'], 'there is only one format'],
    ],
    compile: [
      [PREFERENCES, 'the compiled policy is for all hosts'],
      [['format'], 'a compiled policy is always JSON'],
    ],
    bundle: [
      [[...PREFERENCES, ...INPUTS, 'policy', 'timeout'], 'endpoint.yml names the policy and the server'],
      [['format'], 'there is only one format'],
    ],
    replay: [[['concern'], 'the values in effect are those of the log line']],
    serve: [
      [['claim'], 'it does not verify claims. "mcp-concerns list" shows what a caller with claims sees'],
      [['catalog'], 'the primitives of a catalog cannot be called. Pass --url, or a command after --'],
      [['timeout'], 'it waits as long as the host does'],
      [['format'], 'it speaks MCP'],
    ],
    switch: [
      [['concern'], 'name values without it, for example security=high'],
      [['claim'], 'claims are set by the operator'],
      [['policy', ...INPUTS], 'it finds running servers itself. Use --server to choose one'],
      [['timeout'], 'running servers answer at once'],
      [['format'], 'there is only one format'],
    ],
    open: [
      [PREFERENCES, 'choose preferences and claims in the page'],
      [['format'], 'there is only one format'],
    ],
  };

/**
 * @param command the name of the command
 * @param option the name of an option that the command does not have
 * @returns the reason, as the end of a sentence; undefined for an option that no command has
 * @example
 * whyUnavailable('fmt', 'url'); // 'it reads only the text of policies'
 */
export function whyUnavailable(command: string, option: string): string | undefined {
  return REASONS[command]?.find(([options]) => options.includes(option))?.[1];
}
