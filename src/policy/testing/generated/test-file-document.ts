// Made by "npm run generate" from the JSON Schema.

/** States what hosts must see under a policy. Run it with "mcp-concerns test". */
export type WholeTestFile = {
  /** The path of the policy, or of several policies that are merged. Paths are relative to this file. */
  policy: string | string[];
  /** The path of the catalog that "mcp-concerns snapshot" wrote, relative to this file. For several servers, the catalog of each by its key. */
  catalog?: string | { [name: string]: string };
  /** The command of a stdio server, as text or as a list. It runs in the working directory. */
  server?: string | string[];
  /** The tests. The report lists them in this order. */
  tests: Array<{
    /** One sentence for the report. Names must be unique within the file. */
    name: string;
    /** The preferences of the host: values by concern, or the name of a preset, or `none` for a host without preferences. */
    concerns?: string | { [name: string]: unknown };
    /** The verified claims of the caller. Operator concerns and rules read them. */
    claims?: { [name: string]: unknown };
    /** What is known about the client. If it is left out, nothing is known. */
    client?: {
      /** The name that the client gives itself. */
      name?: string;
      /** The title that the client gives itself. It counts only with a name. */
      title?: string;
      /** The version that the client gives itself. It counts only with a name. */
      version?: string;
      /** The capabilities that the client declared. */
      capabilities?: { [name: string]: unknown };
    };
    /** What is known about the protocol of the request. If it is left out, nothing is known. */
    protocol?: {
      /** The era of MCP: `legacy` (2025-11-25 and before) or `modern` (2026-07-28 and later). */
      era?: "legacy" | "modern";
    };
    /** Which tools the host must see. */
    tools?: {
      /** These must be shown. */
      includes?: string | string[];
      /** These must be hidden. */
      excludes?: string | string[];
      /** These must be shown, and all others must be hidden. */
      only?: string | string[];
      /** How many must be shown. */
      count?: number;
    };
    /** Which prompts the host must see. */
    prompts?: {
      /** These must be shown. */
      includes?: string | string[];
      /** These must be hidden. */
      excludes?: string | string[];
      /** These must be shown, and all others must be hidden. */
      only?: string | string[];
      /** How many must be shown. */
      count?: number;
    };
    /** Which resources the host must see. */
    resources?: {
      /** These must be shown. */
      includes?: string | string[];
      /** These must be hidden. */
      excludes?: string | string[];
      /** These must be shown, and all others must be hidden. */
      only?: string | string[];
      /** How many must be shown. */
      count?: number;
    };
    /** Which resource templates the host must see. */
    resourceTemplates?: {
      /** These must be shown. */
      includes?: string | string[];
      /** These must be hidden. */
      excludes?: string | string[];
      /** These must be shown, and all others must be hidden. */
      only?: string | string[];
      /** How many must be shown. */
      count?: number;
    };
  }>;
};
