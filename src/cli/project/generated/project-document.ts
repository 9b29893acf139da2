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
  /** Test files, or folders of test files, for "mcp-concerns test". */
  tests?: string | string[];
  /** Options of commands that apply if the command line does not have them. */
  defaults?: {
    /** Options of "mcp-concerns check" that apply if the command line does not have them. */
    check?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns test" that apply if the command line does not have them. */
    test?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns list" that apply if the command line does not have them. */
    list?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns explain" that apply if the command line does not have them. */
    explain?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns diff" that apply if the command line does not have them. */
    diff?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns tokens" that apply if the command line does not have them. */
    tokens?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns docs" that apply if the command line does not have them. */
    docs?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns snapshot" that apply if the command line does not have them. */
    snapshot?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns fmt" that apply if the command line does not have them. */
    fmt?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns compile" that apply if the command line does not have them. */
    compile?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns replay" that apply if the command line does not have them. */
    replay?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns serve" that apply if the command line does not have them. */
    serve?: { [name: string]: string | number | boolean | string[] };
    /** Options of "mcp-concerns init" that apply if the command line does not have them. */
    init?: { [name: string]: string | number | boolean | string[] };
  };
};
