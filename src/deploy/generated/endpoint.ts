// Made by "npm run generate" from the JSON Schema.

export type Endpoint = {
  policy: string | string[];
  server: {
    /** A module or package; its default export, or createServer, makes a new server. */
    module: string;
    /** The generation of the MCP SDK that it is written on; 1 unless told. */
    sdk?: 1 | 2;
  } | {
    /** The name of the package; its bin is started with Node. */
    package: string;
    /** What its command line gets. */
    arguments?: string[];
    /** The function's variables that the process may see. */
    environment?: string[];
  } | {
    /** Its address. */
    url: string;
    /** Headers that it wants, each with the name of the function's variable that has the value. */
    headers?: { [name: string]: string };
  };
  /** The promise that the server's lists depend on no request: kept once taken, or taken now. */
  catalog?: "static" | "snapshot";
};
