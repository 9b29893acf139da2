// Made by "npm run generate" from the JSON Schema.

export type Endpoint = {
  policy: string | string[];
  server?: {
    /** A module or package. Its default export, or createServer, makes a new server. */
    module: string;
    /** The major version of the MCP SDK that the server uses. Defaults to 1. */
    sdk?: 1 | 2;
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
      /** Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25. */
      silence?: number;
      /** The protocol version that is spoken to the server. Defaults to `auto`: the server's own. */
      protocol?: "auto" | "2026-07-28" | "2025-11-25";
    } };
  /** Keeps what a person chooses for the verified caller (the claims `iss` and `sub`), for all of its requests. By default, preferences are kept only for a session. */
  preferences?: "principal";
  /** Variables of the function that are read from AWS when it starts, each with its place: `ssm:NAME`, `secretsmanager:NAME`, or `secretsmanager:NAME#KEY` for one member of a secret in JSON. */
  secrets?: { [name: string]: string };
  /** Your promise that the lists of the server do not depend on the request. `static` lists the server once per environment, `snapshot` lists it when the function is packaged. */
  catalog?: "static" | "snapshot";
};
