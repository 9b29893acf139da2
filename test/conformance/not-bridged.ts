const NO_TOOL = 'The server of the other revision does not have the tool or prompt that this check uses.';

/** Checks that do not pass in front of a server of the other revision, and why. `checks` matches the line of a check. */
export const NOT_BRIDGED: readonly { readonly checks: RegExp; readonly reason: string }[] = [
  { checks: /^tasks-/, reason: 'Tasks are not translated between the revisions.' },
  { checks: /(Tool|Prompt) test_\w+ not found/, reason: NO_TOOL },
  { checks: /^input-required-result-/, reason: NO_TOOL },
  {
    checks: /^server-stateless, sep-2575-(server-rejects-undeclared|missing-capability|server-sends-)/,
    reason: NO_TOOL,
  },
  { checks: /x-mcp-header annotations/, reason: 'Revision 2025-11-25 has no such annotations.' },
  { checks: /sep-2164-data-uri/, reason: 'The error is that of the server, whose SDK gives it no data.' },
  { checks: /^server-sse-polling/, reason: 'Streams of serve cannot be resumed.' },
];
