/** The JSON-RPC error codes of the HTTP transport, as the SDK uses them. */
export const HTTP_ERRORS = {
  refused: -32000,
  notFound: -32001,
  /** `RequestTimeout` of the SDK. */
  late: -32001,
  invalid: -32600,
  internal: -32603,
  parse: -32700,
} as const;

/**
 * Makes a response with a JSON-RPC error for the HTTP request as a whole, without the id of a JSON-RPC request.
 *
 * @param status the HTTP status
 * @param code the JSON-RPC code
 * @param message what is wrong, and what to do
 * @param headers more headers
 * @returns the response
 */
export function failure(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
