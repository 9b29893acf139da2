/**
 * All capabilities that a client can have, because some servers list some tools only to clients with the capabilities
 * that these tools need. No tool is called, so the server never uses them.
 */
export const FULL_CLIENT_CAPABILITIES = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: {
    list: {},
    cancel: {},
    requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  },
};
