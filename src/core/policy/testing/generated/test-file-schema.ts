// Made by "npm run generate" from test-file.schema.yaml.
const part0 = {"description":"How many must be shown.","type":"integer","minimum":0,"examples":[12]} as const;
/** The JSON Schema (draft-07) of a test file. */
export const testFileSchema = {"$schema":"http://json-schema.org/draft-07/schema#","title":"mcp-concerns policy tests","description":"States what hosts must see under a policy. Run it with \"mcp-concerns test\".","type":"object","required":["policy","tests"],"oneOf":[{"required":["catalog"]},{"required":["server"]}],"additionalProperties":false,"properties":{"policy":{"description":"The path of the policy, or of several policies that are merged. Paths are relative to this file.","type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1},"examples":["vault.yaml",["common.yaml","vault.yaml"]],"minItems":1},"catalog":{"description":"The path of the catalog that \"mcp-concerns init\" or \"list --save\" wrote, relative to this file. For several servers, the catalog of each by its key.","type":["string","object"],"minLength":1,"minProperties":1,"additionalProperties":{"description":"The path of the catalog of this server.","type":"string","minLength":1,"examples":["files.catalog.json"]},"examples":["vault.catalog.json",{"files":"files.catalog.json","git":"git.catalog.json"}]},"server":{"description":"The command of a stdio server, as text or as a list. It runs in the working directory.","type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1},"examples":["npx -y @playwright/mcp",["node","server.js"]],"minItems":1},"tests":{"description":"The tests. The report lists them in this order.","type":"array","minItems":1,"examples":[[{"name":"the preset safe shows encryption","concerns":"safe","tools":{"includes":["encryptData"]}}]],"items":{"type":"object","required":["name"],"anyOf":[{"required":["tools"]},{"required":["prompts"]},{"required":["resources"]},{"required":["resourceTemplates"]}],"additionalProperties":false,"properties":{"name":{"description":"One sentence for the report. Names must be unique within the file.","type":"string","minLength":1,"examples":["high security at minimal cost"]},"concerns":{"description":"The preferences of the host: values by concern, or the name of a preset, or `none` for a host without preferences.","type":["string","object"],"examples":[{"security":"high","cost":"minimal"},"safe","none"]},"claims":{"description":"The verified claims of the caller. Operator concerns and rules read them.","type":"object","examples":[{"tier":"pro","groups":["staff"]}]},"client":{"description":"What is known about the client. If it is left out, nothing is known.","type":"object","additionalProperties":false,"examples":[{"capabilities":{"sampling":{}}},{"name":"cursor","version":"1.7"}],"properties":{"name":{"description":"The name that the client gives itself.","type":"string","examples":["cursor"]},"title":{"description":"The title that the client gives itself. It counts only with a name.","type":"string","examples":["Cursor"]},"version":{"description":"The version that the client gives itself. It counts only with a name.","type":"string","examples":["1.7"]},"capabilities":{"description":"The capabilities that the client declared.","type":"object","examples":[{"sampling":{}}]}}},"protocol":{"description":"What is known about the protocol of the request. If it is left out, nothing is known.","type":"object","additionalProperties":false,"examples":[{"era":"modern"}],"properties":{"era":{"description":"The era of MCP: `legacy` (2025-11-25 and before) or `modern` (2026-07-28 and later).","enum":["legacy","modern"],"examples":["modern"]}}},"tools":{"description":"Which tools the host must see.","type":"object","minProperties":1,"additionalProperties":false,"examples":[{"includes":["encryptData"]},{"only":["encryptData"]},{"count":1}],"properties":{"includes":{"description":"These must be shown.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["encryptData"]]},"excludes":{"description":"These must be hidden.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["encryptData"]]},"only":{"description":"These must be shown, and all others must be hidden.","type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1},"examples":[["encryptData"]]},"count":part0 as typeof part0}},"prompts":{"description":"Which prompts the host must see.","type":"object","minProperties":1,"additionalProperties":false,"examples":[{"includes":["reviewAccess"]},{"only":["reviewAccess"]},{"count":1}],"properties":{"includes":{"description":"These must be shown.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["reviewAccess"]]},"excludes":{"description":"These must be hidden.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["reviewAccess"]]},"only":{"description":"These must be shown, and all others must be hidden.","type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1},"examples":[["reviewAccess"]]},"count":part0 as typeof part0}},"resources":{"description":"Which resources the host must see.","type":"object","minProperties":1,"additionalProperties":false,"examples":[{"includes":["vault://audit"]},{"only":["vault://audit"]},{"count":1}],"properties":{"includes":{"description":"These must be shown.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["vault://audit"]]},"excludes":{"description":"These must be hidden.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["vault://audit"]]},"only":{"description":"These must be shown, and all others must be hidden.","type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1},"examples":[["vault://audit"]]},"count":part0 as typeof part0}},"resourceTemplates":{"description":"Which resource templates the host must see.","type":"object","minProperties":1,"additionalProperties":false,"examples":[{"includes":["vault://keys/{id}"]},{"only":["vault://keys/{id}"]},{"count":1}],"properties":{"includes":{"description":"These must be shown.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["vault://keys/{id}"]]},"excludes":{"description":"These must be hidden.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":[["vault://keys/{id}"]]},"only":{"description":"These must be shown, and all others must be hidden.","type":["string","array"],"minLength":1,"items":{"type":"string","minLength":1},"examples":[["vault://keys/{id}"]]},"count":part0 as typeof part0}}}}}}} as const;

/** States what hosts must see under a policy. Run it with "mcp-concerns test". */
export type WholeTestFile = {
  /** The path of the policy, or of several policies that are merged. Paths are relative to this file. */
  policy: string | string[];
  /** The path of the catalog that "mcp-concerns init" or "list --save" wrote, relative to this file. For several servers, the catalog of each by its key. */
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
