// Made by "npm run generate" from endpoint.schema.yaml.
const part8 = {"enum":["auto","2026-07-28","2025-11-25"],"description":"The protocol version that is spoken to the server. Defaults to `auto`: the server's own."} as const;
const part6 = {"type":"integer","minimum":1,"maximum":86400,"description":"Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25."} as const;
const part1 = {"type":"object","description":"A remote server over Streamable HTTP. All hosts share one connection, unless `forward` is set.","required":["url"],"additionalProperties":false,"properties":{"url":{"type":"string","pattern":"^https?://","description":"The URL of the server."},"headers":{"type":"object","additionalProperties":{"type":"string"},"description":"Headers that the server needs, each with the name of the environment variable that has its value."},"forward":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["authorization"]},"description":"Headers of a host that the server gets: `authorization`, for hosts that have a token of that server already. Each request has a connection of its own then."},"silence":part6 as typeof part6,"protocol":part8 as typeof part8}} as const;
const part0 = {"type":"object","description":"A stdio server from an npm package that is installed in this project.","required":["package"],"additionalProperties":false,"properties":{"package":{"type":"string","minLength":1,"description":"The name of the package. Its bin is started with Node.js."},"arguments":{"type":"array","items":{"type":"string"},"description":"The arguments of its command line."},"environment":{"type":"array","items":{"type":"string"},"description":"The environment variables of the function that the process gets."},"isolation":{"enum":["shared","per-session","per-request"],"description":"Who shares a process. `shared`: all hosts. `per-session`: one process for each session in each environment of the function. `per-request`: one process for each request. Defaults to `shared`."},"silence":part6 as typeof part6,"protocol":part8 as typeof part8}} as const;
/** The JSON Schema (draft-07) of what a function serves. */
export const endpointSchema = {"type":"object","required":["policy"],"additionalProperties":false,"properties":{"policy":{"anyOf":[{"type":"string","minLength":1,"description":"A policy file, or a folder of policy files."},{"type":"array","items":{"type":"string"},"minItems":1}]},"server":{"anyOf":[{"type":"object","description":"Your own server.","required":["module"],"additionalProperties":false,"properties":{"module":{"type":"string","minLength":1,"description":"A module or package. Its default export, or createServer, makes a new server."},"sdk":{"enum":[1,2],"description":"The major version of the MCP SDK that the server uses. Defaults to 1."},"probe":{"enum":["off"],"description":"`off`: the module is not tried while packaging, because it needs what only the function has, such as a network."},"tasks":{"enum":["plain"],"description":"For a server with tasks and a service without a worker: tools with `support: optional` run as plain calls, others are left out."}}},part0 as typeof part0,part1 as typeof part1]},"servers":{"type":"object","propertyNames":{"pattern":"^(?=.{1,24}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$"},"additionalProperties":{"anyOf":[part0 as typeof part0,part1 as typeof part1]},"description":"Several servers as one endpoint, in place of `server`. Each name begins with the key of its server: `files__read_file`."},"preferences":{"enum":["principal"],"description":"Keeps what a person chooses for the verified caller (the claims `iss` and `sub`), for all of its requests. By default, preferences are kept only for a session."},"secrets":{"type":"object","additionalProperties":{"type":"string","pattern":"^(ssm:[^#]+|secretsmanager:.+)$"},"description":"Variables of the function that are read from AWS when it starts, each with its place: `ssm:NAME`, `secretsmanager:NAME`, or `secretsmanager:NAME#KEY` for one member of a secret in JSON."},"files":{"type":"array","minItems":1,"items":{"type":"string","minLength":1},"description":"Files that your own server reads, which are copied into the function: paths, folders and patterns such as `templates/**`."},"catalog":{"enum":["static","snapshot"],"description":"Your promise that the lists of the server do not depend on the request. `static` lists the server once per environment, `snapshot` lists it when the function is packaged."}}} as const;

export type Endpoint = {
  policy: string | string[];
  server?: {
    /** A module or package. Its default export, or createServer, makes a new server. */
    module: string;
    /** The major version of the MCP SDK that the server uses. Defaults to 1. */
    sdk?: 1 | 2;
    /** `off`: the module is not tried while packaging, because it needs what only the function has, such as a network. */
    probe?: "off";
    /** For a server with tasks and a service without a worker: tools with `support: optional` run as plain calls, others are left out. */
    tasks?: "plain";
  } | {
    /** The name of the package. Its bin is started with Node.js. */
    package: string;
    /** The arguments of its command line. */
    arguments?: string[];
    /** The environment variables of the function that the process gets. */
    environment?: string[];
    /** Who shares a process. `shared`: all hosts. `per-session`: one process for each session in each environment of the function. `per-request`: one process for each request. Defaults to `shared`. */
    isolation?: "shared" | "per-session" | "per-request";
    /** Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25. */
    silence?: number;
    /** The protocol version that is spoken to the server. Defaults to `auto`: the server's own. */
    protocol?: "auto" | "2026-07-28" | "2025-11-25";
  } | {
    /** The URL of the server. */
    url: string;
    /** Headers that the server needs, each with the name of the environment variable that has its value. */
    headers?: { [name: string]: string };
    /** Headers of a host that the server gets: `authorization`, for hosts that have a token of that server already. Each request has a connection of its own then. */
    forward?: "authorization"[];
    /** Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25. */
    silence?: number;
    /** The protocol version that is spoken to the server. Defaults to `auto`: the server's own. */
    protocol?: "auto" | "2026-07-28" | "2025-11-25";
  };
  /** Several servers as one endpoint, in place of `server`. Each name begins with the key of its server: `files__read_file`. */
  servers?: { [name: string]: {
      /** The name of the package. Its bin is started with Node.js. */
      package: string;
      /** The arguments of its command line. */
      arguments?: string[];
      /** The environment variables of the function that the process gets. */
      environment?: string[];
      /** Who shares a process. `shared`: all hosts. `per-session`: one process for each session in each environment of the function. `per-request`: one process for each request. Defaults to `shared`. */
      isolation?: "shared" | "per-session" | "per-request";
      /** Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25. */
      silence?: number;
      /** The protocol version that is spoken to the server. Defaults to `auto`: the server's own. */
      protocol?: "auto" | "2026-07-28" | "2025-11-25";
    } | {
      /** The URL of the server. */
      url: string;
      /** Headers that the server needs, each with the name of the environment variable that has its value. */
      headers?: { [name: string]: string };
      /** Headers of a host that the server gets: `authorization`, for hosts that have a token of that server already. Each request has a connection of its own then. */
      forward?: "authorization"[];
      /** Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25. */
      silence?: number;
      /** The protocol version that is spoken to the server. Defaults to `auto`: the server's own. */
      protocol?: "auto" | "2026-07-28" | "2025-11-25";
    } };
  /** Keeps what a person chooses for the verified caller (the claims `iss` and `sub`), for all of its requests. By default, preferences are kept only for a session. */
  preferences?: "principal";
  /** Variables of the function that are read from AWS when it starts, each with its place: `ssm:NAME`, `secretsmanager:NAME`, or `secretsmanager:NAME#KEY` for one member of a secret in JSON. */
  secrets?: { [name: string]: string };
  /** Files that your own server reads, which are copied into the function: paths, folders and patterns such as `templates/**`. */
  files?: string[];
  /** Your promise that the lists of the server do not depend on the request. `static` lists the server once per environment, `snapshot` lists it when the function is packaged. */
  catalog?: "static" | "snapshot";
};
