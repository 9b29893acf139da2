/** A server shows some tools only to clients that can do what these need. Nothing is called, so nothing is asked for. */
export const CAN_DO_ALL = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: {
    list: {},
    cancel: {},
    requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  },
};
