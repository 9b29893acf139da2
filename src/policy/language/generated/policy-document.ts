// Made by "npm run generate" from the JSON Schema.

/** Maps the primitives of an MCP server to concerns, in the terms of the people who use it. */
export type PolicyDocument = {
  /** The version of the policy language. */
  version: 1;
  /** Policies merged into this one before it, relative to this file. */
  include?: string[];
  /** What a host may ask for; declared to hosts in this order. */
  concerns?: { [name: string]: {
      /** What the concern means to the person who sets it. */
      description?: string;
      /** The values in their order, or a range of numbers. */
      values: string[] | {
        /** The smallest number. */
        min: number;
        /** The largest number. */
        max: number;
      };
      /** How a value fits: equal (exact, the default of a list), at least what was asked for, or at most that (the default of a range). */
      match?: "exact" | "at-least" | "at-most";
      /** Whether a host may ask for several values, any of which fits (exact only). */
      multiple?: boolean;
      /** The value in effect where nothing was asked for; see settings.defaults. */
      default?: string | number;
      /** Who sets it: the host (default), or the operator, from verified claims alone. */
      "set-by"?: "host" | "operator";
      /** The claim that an operator concern is taken from: a literal key, never a path. */
      claim?: string;
    } };
  /** One word for several concerns; a host sends `{preset: safe}` or `?concerns=safe`. */
  presets?: { [name: string]: { [name: string]: string | number | string[] | null } };
  /** Values by exact name, URI or URI template. */
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
  /** The same with `*` for any run of characters; later patterns win over earlier ones. */
  patterns?: {
    /** Tools by pattern. */
    tools?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Prompts by pattern. */
    prompts?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Resources by pattern of their URI. */
    resources?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
    /** Resource templates by pattern of the template itself. */
    resourceTemplates?: { [name: string]: { [name: string]: string | number | Array<string | number> } };
  };
  /** Values derived from what the server says of its primitives; later ones win, patterns win over all. */
  assign?: Array<{
    /** JSON Logic over the primitive: kind, name, title, uri, mimeType, annotations.*, tags. */
    when: unknown;
    /** Concern values by concern; `{}` maps a primitive without a value of its own. */
    to: { [name: string]: string | number | Array<string | number> };
  }>;
  /** JSON Logic that hides or shows primitives for everybody, also for hosts that never set a concern. */
  rules?: Array<{
    /** The name of the rule, in reasons, logs and tests. */
    id: string;
    /** The kinds of primitives that the rule hides; hiding wins over showing. */
    hide?: Array<"tools" | "prompts" | "resources" | "resourceTemplates">;
    /** The kinds of primitives that the rule shows whatever the host concerns say. */
    show?: Array<"tools" | "prompts" | "resources" | "resourceTemplates">;
    /** JSON Logic over concerns, primitive, claims and client.capabilities. */
    when: unknown;
    /** One sentence for people that says why. */
    reason?: string;
  }>;
  /** How the policy is applied. */
  settings?: {
    /** Whether a primitive that nothing maps is shown (default) or hidden. */
    unmapped?: "show" | "hide";
    /** When a declared default applies: once a host has set any concern (aware, the default), always, or never. */
    defaults?: "aware" | "always" | "never";
    /** What a host value outside `values` does: an error (default), ignored, or clamped to the nearest bound of a range. */
    invalid?: "error" | "ignore" | "clamp";
    /** advisory filters lists (default); shadow filters nothing and logs what it would hide. */
    enforcement?: "advisory" | "enforce" | "shadow";
    /** Primitives on a page of a list. Without it a list is one page, as long as it fits a response. */
    "page-size"?: number;
    /** Whether the values of each listed primitive are put into its _meta.concerns. */
    transparency?: boolean;
  };
};
