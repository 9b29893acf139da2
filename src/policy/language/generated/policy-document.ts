// Made by "npm run generate" from the JSON Schema.

/** Maps the primitives of an MCP server to concerns, in terms that the users of the server understand. */
export type PolicyDocument = {
  /** The version of the policy language. */
  version: 1;
  /** Policy files that are merged before this file. Paths are relative to this file. */
  include?: string[];
  /** The concerns that hosts or the operator can set, by name. The server declares them to hosts in this order. */
  concerns?: { [name: string]: {
      /** What the concern means, for the person who sets it. */
      description?: string;
      /** The values as an ordered list, or a range of numbers. A value can carry a description: `- stocks: Prices of companies`. */
      values: Array<string | { [name: string]: string }> | {
        /** The smallest number. */
        min: number;
        /** The largest number. */
        max: number;
      };
      /** How the value of a primitive must compare to the preferred value: `exact` (equal, the default for a list), `at-least`, `at-most` (the default for a range), or `within` (equal, above or below in a hierarchy of dotted names such as finance.stocks). */
      match?: "exact" | "at-least" | "at-most" | "within";
      /** Whether a host can set several values, of which at least one must match. Requires a list and `match: exact` or `match: within`. */
      multiple?: boolean;
      /** The value that applies if no preference sets the concern. `settings.defaults` decides when it applies. */
      default?: string | number;
      /** Who sets the concern: `host` (default), or `operator`, which reads it from verified claims only. */
      "set-by"?: "host" | "operator";
      /** What a model may do with the concern through the tool `concerns`: nothing (`none`, default), hide more (`narrow`), or replace the value of the person (`free`). Only for concerns that hosts set. */
      model?: "none" | "narrow" | "free";
      /** The name of the verified claim that sets an operator concern. It is a literal key, never a path. */
      claim?: string;
    } };
  /** Names for sets of preferences. A host chooses one with `{preset: safe}` or `?concerns=safe`. */
  presets?: { [name: string]: { [name: string]: string | number | string[] | null } };
  /** Values of primitives by exact name, URI or URI template. */
  primitives?: {
    /** Tools by name. */
    tools?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Prompts by name. */
    prompts?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Resources by URI. */
    resources?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Resource templates by URI template. */
    resourceTemplates?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
  };
  /** Values of primitives by pattern, where `*` matches any number of characters. Later patterns win over earlier ones. */
  patterns?: {
    /** Tools by pattern. */
    tools?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Prompts by pattern. */
    prompts?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Resources by pattern of the URI. */
    resources?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Resource templates by pattern of the URI template, as the server lists it. */
    resourceTemplates?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
  };
  /** Values derived from the definitions that the server lists. Later items win over earlier ones, and patterns win over all items. */
  assign?: Array<{
    /** A JSON Logic condition. It can read kind, name, title, uri, mimeType, annotations.*, tags, execution.taskSupport and meta.* of `primitive`. */
    when: unknown;
    /** Values by concern. `{}` maps a primitive without giving it values. */
    to: { [name: string]: string | number | Array<string | number> };
  }>;
  /** Rules that hide or show primitives for all hosts, including hosts that do not set any concern. */
  rules?: Array<{
    /** The name of the rule. Reasons, logs and tests use it. */
    id: string;
    /** The kinds of primitives that the rule hides. Hiding wins over showing. */
    hide?: Array<"tools" | "prompts" | "resources" | "resourceTemplates">;
    /** The kinds of primitives that the rule shows, whatever the concerns of the host are. */
    show?: Array<"tools" | "prompts" | "resources" | "resourceTemplates">;
    /** A JSON Logic condition. It can read `concerns`, `primitive`, `claims`, `client.capabilities` and `protocol.era`. */
    when: unknown;
    /** One sentence for users that gives the reason. */
    reason?: string;
  }>;
  /** How the policy is applied. */
  settings?: {
    /** Whether primitives that the policy does not map are shown (default) or hidden. */
    unmapped?: "show" | "hide";
    /** When the defaults of concerns apply: `aware` (default) once a host has set any concern, `always`, or `never`. */
    defaults?: "aware" | "always" | "never";
    /** What happens if a host sends a value that is not in `values`: `error` (default) rejects it, `ignore` ignores it, `clamp` uses the nearest bound of a range. */
    invalid?: "error" | "ignore" | "clamp";
    /** `advisory` (default) filters lists. `enforce` also rejects requests for hidden primitives. `shadow` does not filter lists and logs what it would hide. */
    enforcement?: "advisory" | "enforce" | "shadow";
    /** Methods that pass under `enforce` although nothing filters them: names, or patterns in which `*` matches any number of characters. By default, methods that the gate does not know are refused. */
    methods?: string[];
    /** The number of primitives on one page of a list. By default a list is one page, unless it does not fit into one response. */
    "page-size"?: number;
    /** Whether hosts may also filter tools by name, as other servers let them: `?tools=a,b*` and `?exclude=` in the URL, `X-MCP-Tools` and `X-MCP-Exclude-Tools` in headers. Defaults to false. */
    "name-filters"?: boolean;
    /** Whether people can switch preferences inside a conversation: `on` adds the tool `concerns` and a prompt for each preset to the lists; `narrow` adds the same, but nothing inside the conversation can show more; `read-only` adds only the tool, which then shows what is in effect. `off` (default) adds nothing. */
    panel?: "off" | "read-only" | "narrow" | "on";
    /** Which clients of protocol 2026-07-28 see tools that can only be called as tasks: `require-capability` (default), those that declare the Tasks extension; `show`, all. */
    tasks?: "require-capability" | "show";
    /** Whether each listed primitive carries its values in `_meta.concerns`. */
    transparency?: boolean;
  };
};
