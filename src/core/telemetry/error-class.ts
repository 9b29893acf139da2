/** The JSON-RPC error codes that a log names. Others are `application-error`, or `server-error` from -32099 to -32000. */
const CLASSES: ReadonlyMap<number, string> = new Map([
  [-32700, 'parse-error'],
  [-32600, 'invalid-request'],
  [-32601, 'method-not-found'],
  [-32602, 'invalid-params'],
  [-32603, 'internal-error'],
  [-32000, 'connection-closed'],
  [-32001, 'request-timeout'],
  [-32002, 'resource-not-found'],
  [-32042, 'elicitation-required'],
]);

/** Errors that a client causes. All other errors are failures of the server, or of what is behind it. */
const OF_CLIENT: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002, -32042]);

/**
 * @param code the code of a JSON-RPC error
 * @returns the class of the error, for a log
 * @example
 * errorClassOf(-32602); // 'invalid-params'
 */
export function errorClassOf(code: number): string {
  const reserved = code >= -32099 && code <= -32000;
  return CLASSES.get(code) ?? (reserved ? 'server-error' : 'application-error');
}

/** @returns whether an error is a failure of the server, and not a mistake in the request */
export const isServerFailure = (code: number): boolean => !OF_CLIENT.has(code);
