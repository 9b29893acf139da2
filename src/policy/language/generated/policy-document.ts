// Made by "npm run generate" from the JSON Schema.

/** Maps the primitives of an MCP server to concerns, in terms that the users of the server understand. */
export type PolicyDocument = {
  /** The version of the policy language. */
  version: 1;
  /** Policy files that are merged before this file. Paths are relative to this file. */
  include?: string[];
  /** Several servers behind one endpoint, by their key in the file of `--servers`. Names of primitives then begin with the server: `files__write`. */
  servers?: { [name: string]: {
      /** The policy of this server alone, with its own names. The path is relative to this file. */
      policy?: string;
      /** Which concerns of its policy take part. By default all. */
      concerns?: string[];
      /** What values of its policy are called here, by concern. Values that are not named keep their name. */
      map?: { [name: string]: { [name: string]: string } };
    } };
  /** The concerns that hosts or the operator can set, by name. The server declares them to hosts in this order. */
  concerns?: { [name: string]: {
      /** What the concern means, for the person who sets it. */
      description?: string;
      /** The values as an ordered list, or a range of numbers. A value can carry a description: `- stocks: Prices of companies`. `servers` means each server and, below it, the values of its own policy: `files`, `files.search`. */
      values: Array<string | { [name: string]: string }> | {
        /** The smallest number. */
        min: number;
        /** The largest number. */
        max: number;
      } | string;
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
      /** Whether lists follow the preferences of a session (`filter`, default), or stay as they are (`stable`): then the value that a session sets decides only what calls may do. For a concern of the operator, this changes nothing. */
      lists?: "filter" | "stable";
      /** The verified claim that sets an operator concern: its name, or a list of names that leads through objects. `scope` means the scopes of the caller, in any form that tokens have. */
      claim?: string | string[];
      /** Whether callers can get the scope: under `enforce`, what only this concern hides stays in the lists, and using it answers which scope is missing. Only with `claim: scope`. */
      obtainable?: boolean;
      /** What the claim contains for a value, if that is not the name of the value. A value without an entry matches its name. */
      "claim-values"?: { [name: string]: string[] };
    } };
  /** Names for sets of preferences. A host chooses one with `{preset: safe}` or `?concerns=safe`. */
  presets?: { [name: string]: { [name: string]: string | number | string[] | null } };
  /** Defaults for clients by how they name themselves. Everything that a host or a person sets is stronger. Of several items for one concern, the last one wins. */
  "defaults-for"?: Array<{
    /** Patterns of the name, the title and the version that the client gives itself. All of them must match. */
    when: {
      /** A pattern of the name of the client, where `*` matches any number of characters. */
      "client.name"?: string;
      /** A pattern of the title of the client, where `*` matches any number of characters. */
      "client.title"?: string;
      /** A pattern of the version of the client, where `*` matches any number of characters. */
      "client.version"?: string;
    };
    /** The preset whose values are the defaults of these clients. */
    preset: string;
  }>;
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
  /** How primitives are presented to hosts, for servers that one does not own. */
  present?: {
    /** Tools by name. */
    tools?: { [name: string]: {
        /** The title, which people read. */
        title?: string;
        /** The description, which models read. */
        description?: string;
        /** Hints that the server does not give. One that promises less harm than the hint of the server is an error. */
        annotations?: {
          /** Whether the tool only reads. */
          readOnlyHint?: boolean;
          /** Whether it may delete or overwrite. */
          destructiveHint?: boolean;
          /** Whether a second equal call changes nothing more. */
          idempotentHint?: boolean;
          /** Whether it may contact anything outside. */
          openWorldHint?: boolean;
        };
      } };
  };
  /** Values derived from the definitions that the server lists. Later items win over earlier ones, and patterns win over all items. */
  assign?: Array<{
    /** A JSON Logic condition. It can read kind, name, title, description, parameters, required, uri, mimeType, annotations.*, tags, server, execution.taskSupport and meta.* of `primitive`. */
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
    /** A JSON Logic condition. It can read `concerns`, `primitive`, `claims`, `caller.scopes`, `client.capabilities`, `client.name`, `client.title`, `client.version` and `protocol.era`. */
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
    /** Extensions that put their name in front of `groups/list` and `groups/get`. These methods are always filtered; with this setting, also `EXTENSION/groups/list` and `EXTENSION/groups/get`. */
    groups?: string[];
    /** The number of primitives on one page of a list. By default a list is one page, unless it does not fit into one response. */
    "page-size"?: number;
    /** Whether hosts may also filter tools by name, as other servers let them: `?tools=a,b*` and `?exclude=` in the URL, `X-MCP-Tools` and `X-MCP-Exclude-Tools` in headers. Defaults to false. */
    "name-filters"?: boolean;
    /** What happens to primitives whose definition is not the one that `mcp-concerns pin` pinned: `show` shows them, `warn` also logs them, `hide` hides them until they are pinned. Defaults to `hide` under `enforcement: enforce`, otherwise to `warn`. Without a lock file, nothing is pinned. */
    changed?: "show" | "warn" | "hide";
    /** Whether lists follow the preferences of a session (`filter`, default), or depend only on the URL, the authorization and the policy (`stable`): then preferences decide what calls may do, and a call of a tool that they hide answers why. */
    lists?: "filter" | "stable";
    /** Whether people can switch preferences inside a conversation: `on` adds the tool `concerns` and a prompt for each preset to the lists; `narrow` adds the same, but nothing inside the conversation can show more; `read-only` adds only the tool, which then shows what is in effect. `off` (default) adds nothing. */
    panel?: "off" | "read-only" | "narrow" | "on";
    /** With what the names begin that `panel` reserves, if the server has one of them: the tool, the prompts `NAME-*` and the pages `ui://NAME/`. Defaults to `concerns`. */
    "panel-prefix"?: string;
    /** Which clients of protocol 2026-07-28 see tools that can only be called as tasks: `require-capability` (default), those that declare the Tasks extension; `show`, all. */
    tasks?: "require-capability" | "show";
    /** Whether `enforce` removes names of hidden primitives from the descriptions, titles and schemas of visible ones (`redact`, default), or keeps these as the server wrote them (`keep`). */
    texts?: "redact" | "keep";
    /** Whether each listed primitive carries its values in `_meta.concerns`. */
    transparency?: boolean;
  };
};
