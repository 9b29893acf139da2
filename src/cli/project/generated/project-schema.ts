// Made by "npm run generate" from project.schema.yaml.
/** The JSON Schema (draft-07) of a project file. */
export const projectSchema = {"$schema":"http://json-schema.org/draft-07/schema#","title":"mcp-concerns project","description":"What the commands of mcp-concerns use if the command line does not name it.","type":"object","additionalProperties":false,"properties":{"policy":{"description":"The path of the policy: a file or a folder. Several paths are merged into one policy. Paths are relative to this file.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":["policies/vault.yaml",["common.yaml","vault.yaml"]]},"catalog":{"description":"The catalog file of the server, as \"mcp-concerns list --save\" writes it.","type":"string","minLength":1,"examples":["policies/vault.catalog.json"]},"server":{"description":"The command of a stdio server, as text or as a list. It runs in the working folder.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":["npx -y @playwright/mcp",["node","server.js"]]},"url":{"description":"The URL of a server over Streamable HTTP.","type":"string","minLength":1,"examples":["http://127.0.0.1:3000/mcp"]},"servers":{"description":"Several servers as one: a host's file, such as `.mcp.servers.json`, as `--servers` takes it.","type":"string","minLength":1,"examples":[".mcp.servers.json"]},"protocol":{"description":"The protocol version that is spoken to the server. `auto` is the server's own.","enum":["auto","2026-07-28","2025-11-25"],"examples":["auto"]},"tests":{"description":"Test files, or folders of test files, for \"mcp-concerns test\".","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":["policies",["policies/vault.test.yaml"]]}}} as const;

/** What the commands of mcp-concerns use if the command line does not name it. */
export type ProjectDocument = {
  /** The path of the policy: a file or a folder. Several paths are merged into one policy. Paths are relative to this file. */
  policy?: string | string[];
  /** The catalog file of the server, as "mcp-concerns list --save" writes it. */
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
