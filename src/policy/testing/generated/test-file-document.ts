// Made by "npm run generate" from the JSON Schema.

/** Says what hosts have to see under a policy; "mcp-concerns test" runs it. */
export type WholeTestFile = {
  /** The policy that is tested, or several that are merged, relative to this file. */
  policy: string | string[];
  /** What the server lists, as "mcp-concerns snapshot" writes it, relative to this file. */
  catalog?: string;
  /** The command of a server over stdio, as text or as a list; it starts in the working directory. */
  server?: string | string[];
  /** The tests, in the order of the report. */
  tests: Array<{
    /** One sentence for the report; no other test of the file has it. */
    name: string;
    /** What the host asks for, by concern; or the name of a preset; or `none`, a host that never spoke of concerns. */
    concerns?: string | { [name: string]: unknown };
    /** Verified claims of the caller, for operator concerns and rules that read them. */
    claims?: { [name: string]: unknown };
    /** What is known of the client; left out, nothing is. */
    client?: {
      /** What the client said that it can do. */
      capabilities?: { [name: string]: unknown };
    };
    /** What the host has to see of the tools. */
    tools?: {
      /** These are shown. */
      includes?: string | string[];
      /** These are hidden. */
      excludes?: string | string[];
      /** These are shown, and nothing else. */
      only?: string | string[];
      /** How many are shown. */
      count?: number;
    };
    /** What the host has to see of the prompts. */
    prompts?: {
      /** These are shown. */
      includes?: string | string[];
      /** These are hidden. */
      excludes?: string | string[];
      /** These are shown, and nothing else. */
      only?: string | string[];
      /** How many are shown. */
      count?: number;
    };
    /** What the host has to see of the resources. */
    resources?: {
      /** These are shown. */
      includes?: string | string[];
      /** These are hidden. */
      excludes?: string | string[];
      /** These are shown, and nothing else. */
      only?: string | string[];
      /** How many are shown. */
      count?: number;
    };
    /** What the host has to see of the resource templates. */
    resourceTemplates?: {
      /** These are shown. */
      includes?: string | string[];
      /** These are hidden. */
      excludes?: string | string[];
      /** These are shown, and nothing else. */
      only?: string | string[];
      /** How many are shown. */
      count?: number;
    };
  }>;
};
