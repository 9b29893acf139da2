// Made by "npm run generate" from the JSON Schema.

export type Endpoint = {
  policy: string | string[];
  server: {
    /** A module or package. Its default export, or createServer, makes a new server. */
    module: string;
    /** The major version of the MCP SDK that the server uses. Defaults to 1. */
    sdk?: 1 | 2;
  } | {
    /** The name of the package. Its bin is started with Node.js. */
    package: string;
    /** The arguments of its command line. */
    arguments?: string[];
    /** The environment variables of the function that the process gets. */
    environment?: string[];
  } | {
    /** The URL of the server. */
    url: string;
    /** Headers that the server needs, each with the name of the environment variable that has its value. */
    headers?: { [name: string]: string };
  };
  /** Your promise that the lists of the server do not depend on the request. `static` lists the server once per environment, `snapshot` lists it when the function is packaged. */
  catalog?: "static" | "snapshot";
};
