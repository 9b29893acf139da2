// Made by "npm run generate" from policy.schema.yaml.
const part2 = {"enum":["tools","prompts","resources","resourceTemplates"]} as const;
const part0 = {"description":"Values by concern. `{}` maps a primitive without giving it values.","type":"object","additionalProperties":{"description":"A value of the concern, or a list of values of which at least one must match. `any` removes the value that weaker entries give.","type":["string","number","array"],"minItems":1,"maxItems":256,"items":{"type":["string","number"]},"examples":["high",["low","medium"],"any"]},"examples":[{"security":"high","cost":"minimal"}]} as const;
/** The JSON Schema (draft-07) of a policy file. */
export const policySchema = {"$schema":"http://json-schema.org/draft-07/schema#","title":"mcp-concerns policy","description":"Maps the primitives of an MCP server to concerns, in terms that the users of the server understand.","type":"object","required":["version"],"additionalProperties":false,"properties":{"version":{"const":1,"description":"The version of the policy language.","examples":[1]},"include":{"description":"Policy files that are merged before this file. Paths are relative to this file.","type":"array","items":{"type":"string","minLength":1},"examples":[["common.yaml"]]},"servers":{"description":"Several servers behind one endpoint, by their key in the file of `--servers`. Names of primitives then begin with the server: `files__write`.","type":"object","examples":[{"files":{"policy":"files.yaml"}}],"additionalProperties":{"type":"object","additionalProperties":false,"examples":[{"policy":"files.yaml"}],"properties":{"policy":{"description":"The policy of this server alone, with its own names. The path is relative to this file.","type":"string","minLength":1,"examples":["files.yaml"]},"description":{"description":"What the server is for, in one line. It describes the value of a concern whose values are servers.","type":"string","examples":["Files of this computer"]},"concerns":{"description":"Which concerns of its policy take part. By default all.","type":"array","items":{"type":"string"},"examples":[["effect"]]},"map":{"description":"What values of its policy are called here, by concern. Values that are not named keep their name.","type":"object","examples":[{"effect":{"writes":"changes"}}],"additionalProperties":{"description":"The value here, by the value in the policy of the server.","type":"object","additionalProperties":{"description":"A value of the concern here.","type":"string","examples":["changes"]},"examples":[{"writes":"changes"}]}}}}},"concerns":{"description":"The concerns that hosts or the operator can set, by name. The server declares them to hosts in this order.","type":"object","maxProperties":64,"propertyNames":{"pattern":"^[a-z][a-z0-9_-]{0,63}$"},"examples":[{"security":{"values":["low","medium","high"]}}],"additionalProperties":{"type":"object","required":["values"],"additionalProperties":false,"examples":[{"values":["low","high"]},{"values":["low","medium","high"],"match":"at-least"}],"properties":{"description":{"description":"What the concern means, for the person who sets it.","type":"string","examples":["Security level required for the operation"]},"values":{"description":"The values as an ordered list, or a range of numbers. A value can carry a description: `- stocks: Prices of companies`. `servers` means each server and, below it, the values of its own policy: `files`, `files.search`.","type":["array","object","string"],"pattern":"^servers$","minItems":1,"maxItems":256,"uniqueItems":true,"items":{"type":["string","object"],"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]{1,256}$","description":"The name of a value: letters, digits, \"_\", \".\" and \"-\", starting with a letter or digit, at most 64 characters. With `set-by: operator`, any text of at most 256 characters. Or a mapping of one name to its description.","minProperties":1,"maxProperties":1,"propertyNames":{"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]{1,256}$"},"additionalProperties":{"description":"What the value means, for the person who chooses it.","type":"string","minLength":1,"examples":["Prices of companies"]},"examples":["high",{"stocks":"Prices of companies"}]},"required":["min","max"],"additionalProperties":false,"properties":{"min":{"type":"number","description":"The smallest number.","examples":[0]},"max":{"type":"number","description":"The largest number.","examples":[500]}},"examples":[["low","medium","high"],[{"stocks":"Prices of companies"},"news"],{"min":0,"max":500},"servers"]},"match":{"description":"How the value of a primitive must compare to the preferred value: `exact` (equal, the default for a list), `at-least`, `at-most` (the default for a range), or `within` (equal, above or below in a hierarchy of dotted names such as finance.stocks).","enum":["exact","at-least","at-most","within"],"examples":["at-most"]},"multiple":{"description":"Whether a host can set several values, of which at least one must match. Requires a list and `match: exact` or `match: within`.","type":"boolean","examples":[true]},"default":{"description":"The value that applies if no preference sets the concern. `settings.defaults` decides when it applies.","type":["string","number"],"examples":["medium"]},"set-by":{"description":"Who sets the concern: `host` (default), or `operator`, which reads it from verified claims only.","enum":["host","operator"],"examples":["operator"]},"model":{"description":"What a model may do with the concern through the tool `concerns`: nothing (`none`, default), hide more (`narrow`), or replace the value of the person (`free`). Only for concerns that hosts set.","enum":["none","narrow","free"],"examples":["free"]},"lists":{"description":"Whether lists follow the preferences of a session (`filter`, default), or stay as they are (`stable`): then the value that a session sets decides only what calls may do. For a concern of the operator, this changes nothing.","enum":["filter","stable"],"examples":["stable"]},"claim":{"description":"The verified claim that sets an operator concern: its name, or a list of names that leads through objects. `scope` means the scopes of the caller, in any form that tokens have.","type":["string","array"],"minLength":1,"minItems":1,"items":{"type":"string","minLength":1},"examples":["scope","custom:tier",["realm_access","roles"]]},"obtainable":{"description":"Whether callers can get the scope: under `enforce`, what only this concern hides stays in the lists, and using it answers which scope is missing. Only with `claim: scope`.","type":"boolean","examples":[true]},"claim-values":{"description":"What the claim contains for a value, if that is not the name of the value. A value without an entry matches its name.","type":"object","examples":[{"ops":["arn:aws:iam::123456789012:role/ops","ops team"]}],"additionalProperties":{"description":"The texts in the claim that mean this value.","type":"array","minItems":1,"maxItems":256,"uniqueItems":true,"items":{"type":"string","minLength":1},"examples":[["ops team"]]}}}}},"presets":{"description":"Names for sets of preferences. A host chooses one with `{preset: safe}` or `?concerns=safe`.","type":"object","propertyNames":{"pattern":"^[a-z][a-z0-9_-]{0,63}$"},"examples":[{"safe":{"security":"high","access":"read"}}],"additionalProperties":{"type":"object","examples":[{"security":"high"}],"additionalProperties":{"description":"The value that the preset sets. `null` sets no value, also if the concern has a default.","type":["string","number","array","null"],"minItems":1,"items":{"type":"string"},"examples":["high"]}}},"defaults-for":{"description":"Defaults for clients by how they name themselves. Everything that a host or a person sets is stronger. Of several items for one concern, the last one wins.","type":"array","maxItems":256,"examples":[[{"when":{"client.name":"cursor*"},"preset":"few"}]],"items":{"type":"object","required":["when","preset"],"additionalProperties":false,"examples":[{"when":{"client.name":"cursor*"},"preset":"few"}],"properties":{"when":{"description":"Patterns of the name, the title and the version that the client gives itself. All of them must match.","type":"object","minProperties":1,"additionalProperties":false,"examples":[{"client.name":"cursor*"}],"properties":{"client.name":{"description":"A pattern of the name of the client, where `*` matches any number of characters.","type":"string","minLength":1,"maxLength":256,"examples":["cursor*"]},"client.title":{"description":"A pattern of the title of the client, where `*` matches any number of characters.","type":"string","minLength":1,"maxLength":256,"examples":["Cursor*"]},"client.version":{"description":"A pattern of the version of the client, where `*` matches any number of characters.","type":"string","minLength":1,"maxLength":256,"examples":["1.*"]}}},"preset":{"description":"The preset whose values are the defaults of these clients.","type":"string","examples":["few"]}}}},"primitives":{"description":"Values of primitives by exact name, URI or URI template.","type":"object","additionalProperties":false,"examples":[{"tools":{"encryptData":{"security":"high"}}}],"properties":{"tools":{"description":"Tools by name.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"encryptData":{"security":"high"}}]},"prompts":{"description":"Prompts by name.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"reviewAccess":{"security":"high"}}]},"resources":{"description":"Resources by URI.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"vault://audit":{"security":"high"}}]},"resourceTemplates":{"description":"Resource templates by URI template.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"vault://keys/{id}":{"security":"high"}}]}}},"patterns":{"description":"Values of primitives by pattern, where `*` matches any number of characters. Later patterns win over earlier ones.","type":"object","additionalProperties":false,"examples":[{"tools":{"log*":{"security":["low","medium"]}}}],"properties":{"tools":{"description":"Tools by pattern.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"log*":{"security":"high"}}]},"prompts":{"description":"Prompts by pattern.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"review*":{"security":"high"}}]},"resources":{"description":"Resources by pattern of the URI.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"vault://*":{"security":"high"}}]},"resourceTemplates":{"description":"Resource templates by pattern of the URI template, as the server lists it.","type":"object","additionalProperties":part0 as typeof part0,"examples":[{"vault://*":{"security":"high"}}]}}},"review":{"description":"Primitives that nobody has decided about yet, by kind. The list has no effect: they count as unmapped. `check` counts them, and `init --update` writes what it must not open.","type":"object","additionalProperties":false,"examples":[{"tools":["drop_all"]}],"properties":{"tools":{"description":"Tools by name.","type":"array","items":{"type":"string","minLength":1},"examples":[["drop_all"]]},"prompts":{"description":"Prompts by name.","type":"array","items":{"type":"string","minLength":1},"examples":[["drop_all"]]},"resources":{"description":"Resources by URI.","type":"array","items":{"type":"string","minLength":1},"examples":[["drop_all"]]},"resourceTemplates":{"description":"Resource templates by URI template.","type":"array","items":{"type":"string","minLength":1},"examples":[["drop_all"]]}}},"present":{"description":"How primitives are presented to hosts, for servers that one does not own.","type":"object","additionalProperties":false,"examples":[{"tools":{"tree":{"title":"List a folder"}}}],"properties":{"tools":{"description":"Tools by name.","type":"object","examples":[{"tree":{"title":"List a folder","annotations":{"readOnlyHint":true}}}],"additionalProperties":{"description":"What replaces the texts of the server, and hints that are added.","type":"object","additionalProperties":false,"minProperties":1,"examples":[{"title":"List a folder"}],"properties":{"title":{"description":"The title, which people read.","type":"string","minLength":1,"examples":["List a folder"]},"description":{"description":"The description, which models read.","type":"string","minLength":1,"examples":["Lists the files of a folder."]},"annotations":{"description":"Hints that the server does not give. One that promises less harm than the hint of the server is an error.","type":"object","additionalProperties":false,"minProperties":1,"examples":[{"readOnlyHint":true}],"properties":{"readOnlyHint":{"description":"Whether the tool only reads.","type":"boolean","examples":[true]},"destructiveHint":{"description":"Whether it may delete or overwrite.","type":"boolean","examples":[true]},"idempotentHint":{"description":"Whether a second equal call changes nothing more.","type":"boolean","examples":[true]},"openWorldHint":{"description":"Whether it may contact anything outside.","type":"boolean","examples":[true]}}}}}}}},"bind":{"description":"The only values of arguments, by argument, or by a pattern of tools and an argument. Of one value, the argument leaves the list, and the gate writes it into calls. Needs \"enforcement: enforce\".","type":"object","examples":[{"project":{"var":"claims.project"}}],"additionalProperties":{"description":"A constant, or JSON Logic that gives the value, or the list of values.","examples":[{"var":"claims.project"}]}},"assign":{"description":"Values derived from the definitions that the server lists. Later items win over earlier ones, and patterns win over all items.","type":"array","maxItems":256,"examples":[[{"when":{"===":[{"var":"primitive.annotations.readOnlyHint"},true]},"to":{"access":"read"}}]],"items":{"type":"object","required":["when","to"],"additionalProperties":false,"properties":{"when":{"description":"A JSON Logic condition. It can read kind, name, title, description, parameters, required, uri, mimeType, annotations.*, tags, server, execution.taskSupport and meta.* of `primitive`.","examples":[{"===":[{"var":"primitive.annotations.readOnlyHint"},true]}]},"to":part0 as typeof part0}}},"rules":{"description":"Rules that hide or show primitives for all hosts, including hosts that do not set any concern.","type":"array","maxItems":256,"examples":[[{"id":"no-production-writes","hide":["tools"],"when":{"and":[{"===":[{"var":"concerns.environment"},"production"]},{"===":[{"var":"primitive.annotations.readOnlyHint"},false]}]}}]],"items":{"type":"object","required":["id","when"],"additionalProperties":false,"properties":{"id":{"description":"The name of the rule. Reasons, logs and tests use it.","type":"string","pattern":"^[a-z][a-z0-9_-]{0,63}$","examples":["no-production-writes"]},"hide":{"description":"The kinds of primitives that the rule hides. Hiding wins over showing.","type":"array","minItems":1,"uniqueItems":true,"items":part2 as typeof part2,"examples":[["tools"]]},"show":{"description":"The kinds of primitives that the rule shows, whatever the concerns of the host are.","type":"array","minItems":1,"uniqueItems":true,"items":part2 as typeof part2,"examples":[["tools"]]},"when":{"description":"A JSON Logic condition. It can read `concerns`, `primitive`, `claims`, `caller.scopes`, `client.capabilities`, `client.name`, `client.title`, `client.version` and `protocol.era`.","examples":[{"===":[{"var":"concerns.environment"},"production"]}]},"reason":{"description":"One sentence for users that gives the reason.","type":"string","examples":["Destructive tools are hidden in production"]}}}},"settings":{"description":"How the policy is applied.","type":"object","additionalProperties":false,"examples":[{"unmapped":"hide"}],"properties":{"unmapped":{"description":"Whether primitives that the policy does not map are shown (default) or hidden.","enum":["show","hide"],"examples":["hide"]},"defaults":{"description":"When the defaults of concerns apply: `aware` (default) once a host has set any concern, `always`, or `never`.","enum":["aware","always","never"],"examples":["always"]},"invalid":{"description":"What happens if a host sends a value that is not in `values`: `error` (default) rejects it, `ignore` ignores it, `clamp` uses the nearest bound of a range.","enum":["error","ignore","clamp"],"examples":["ignore"]},"enforcement":{"description":"`advisory` (default) filters lists. `enforce` also rejects requests for hidden primitives. `shadow` does not filter lists and logs what it would hide.","enum":["advisory","enforce","shadow"],"examples":["shadow"]},"methods":{"description":"Methods that pass under `enforce` although nothing filters them: names, or patterns in which `*` matches any number of characters. By default, methods that the gate does not know are refused.","type":"array","maxItems":64,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":256},"examples":[["vendor/status","vendor/jobs/*"]]},"groups":{"description":"Extensions that put their name in front of `groups/list` and `groups/get`. These methods are always filtered; with this setting, also `EXTENSION/groups/list` and `EXTENSION/groups/get`.","type":"array","maxItems":64,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":256},"examples":[["com.example/catalog"]]},"page-size":{"description":"The number of primitives on one page of a list. By default a list is one page, unless it does not fit into one response.","type":"integer","minimum":1,"maximum":10000,"examples":[100]},"name-filters":{"description":"Whether hosts may also filter tools by name, as other servers let them: `?tools=a,b*` and `?exclude=` in the URL, `X-MCP-Tools` and `X-MCP-Exclude-Tools` in headers. Defaults to false.","type":"boolean","examples":[true]},"changed":{"description":"What happens to primitives whose definition is not the one that `mcp-concerns pin` pinned: `show` shows them, `warn` also logs them, `hide` hides them until they are pinned. Defaults to `hide` under `enforcement: enforce`, otherwise to `warn`. Without a lock file, nothing is pinned.","enum":["show","warn","hide"],"examples":["hide"]},"lists":{"description":"Whether lists follow the preferences of a session (`filter`, default), or depend only on the URL, the authorization and the policy (`stable`): then preferences decide what calls may do, and a call of a tool that they hide answers why.","enum":["filter","stable"],"examples":["stable"]},"panel":{"description":"Whether people can switch preferences inside a conversation: `on` adds the tool `concerns` and a prompt for each preset to the lists; `narrow` adds the same, but nothing inside the conversation can show more; `read-only` adds only the tool, which then shows what is in effect. `off` (default) adds nothing.","enum":["off","read-only","narrow","on"],"examples":["on"]},"panel-prefix":{"description":"With what the names begin that `panel` reserves, if the server has one of them: the tool, the prompts `NAME-*` and the pages `ui://NAME/`. Defaults to `concerns`.","type":"string","pattern":"^[a-z][a-z0-9_]{0,31}$","examples":["show"]},"tasks":{"description":"Which clients of protocol 2026-07-28 see tools that can only be called as tasks: `require-capability` (default), those that declare the Tasks extension; `show`, all.","enum":["require-capability","show"],"examples":["show"]},"texts":{"description":"Whether `enforce` removes names of hidden primitives from the descriptions, titles and schemas of visible ones (`redact`, default), or keeps these as the server wrote them (`keep`).","enum":["redact","keep"],"examples":["keep"]},"transparency":{"description":"Whether each listed primitive carries its values in `_meta.concerns`.","type":"boolean","examples":[true]}}}}} as const;

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
      /** What the server is for, in one line. It describes the value of a concern whose values are servers. */
      description?: string;
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
  /** Primitives that nobody has decided about yet, by kind. The list has no effect: they count as unmapped. `check` counts them, and `init --update` writes what it must not open. */
  review?: {
    /** Tools by name. */
    tools?: string[];
    /** Prompts by name. */
    prompts?: string[];
    /** Resources by URI. */
    resources?: string[];
    /** Resource templates by URI template. */
    resourceTemplates?: string[];
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
  /** The only values of arguments, by argument, or by a pattern of tools and an argument. Of one value, the argument leaves the list, and the gate writes it into calls. Needs "enforcement: enforce". */
  bind?: { [name: string]: unknown };
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
