// Made by "npm run generate" from the JSON Schema.

/** What the commands of mcp-concerns use if the command line does not name it. */
export type ProjectDocument = {
  /** The path of the policy: a file or a folder. Several paths are merged into one policy. Paths are relative to this file. */
  policy?: string | string[];
  /** The catalog file of the server, as "mcp-concerns snapshot" writes it. */
  catalog?: string;
  /** The command of a stdio server, as text or as a list. It runs in the working folder. */
  server?: string | string[];
  /** The URL of a server over Streamable HTTP. */
  url?: string;
  /** Several servers as one: a host's file, such as `.mcp.servers.json`, as `--servers` takes it. */
  servers?: string;
  /** The protocol version that is spoken to the server. `auto` is the server's own. */
  protocol?: "auto" | "2026-07-28" | "2025-11-25";
  /** Test files, or folders of test files, for "mcp-concerns test". */
  tests?: string | string[];
};
