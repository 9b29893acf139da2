import type { PanelState } from '../../../core/gate/panel/panel-document.js';
import type { Source } from '../source.js';

/** The version of MCP Apps (SEP-1865) that this view speaks. */
const PROTOCOL = '2026-01-26';

/** No message tells a view that the host has listed again, so it asks once more after a change. */
const ASK_AGAIN = 1_500;

/**
 * The source of a page in a host: an MCP App. The host passes tool calls on to the server.
 *
 * The messages are written by hand: the `App` class of the official package is larger than the whole page.
 */
export function appSource(): Source {
  const pending = new Map<number, (answer: Partial<HostMessage>) => void>();
  let lastId = 0;
  const { prefix = 'concerns' } = document.documentElement.dataset;
  let changes = 0;
  let show: (state: PanelState) => void = () => undefined;

  const post = (message: object): void => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, ({ error, result }) =>
        error === undefined
          ? resolve(result)
          : reject(new Error(error.message ?? 'The host refused the call.')),
      );
      post({ id, method, params });
    });
  const callTool = async (name: string, args: object): Promise<void> => {
    const started = changes;
    const result = (await request('tools/call', {
      name: `${prefix}_${name}`,
      arguments: args,
    })) as ToolResult;
    if (result.isError === true)
      throw new Error(result.content?.[0]?.text ?? 'The server refused the change.');
    // An answer that a change overtook can be older than the change.
    const { structuredContent } = result;
    if (changes === started && structuredContent?.format === 1) show(structuredContent);
  };
  const read = (): Promise<void> => callTool('read', {});
  const receive = ({ source, data }: MessageEvent<Partial<HostMessage> | null>): void => {
    // A view trusts only the host that embeds it.
    if (source !== parent || data?.jsonrpc !== '2.0') return;
    const { id, method, params } = data;
    if (method === undefined) {
      const settle = pending.get(Number(id));
      pending.delete(Number(id));
      settle?.(data);
      return;
    }
    // The result for the model has no document.
    if (method === 'ui/notifications/tool-result') void read().catch(() => undefined);
    if (method === 'ui/notifications/host-context-changed') applyTheme(params);
    // ping and ui/resource-teardown
    if (id !== undefined) post({ id, result: {} });
  };

  return {
    kind: 'app',
    start({ state, problem }) {
      show = state;
      addEventListener('message', receive);
      const appInfo = { name: 'mcp-concerns', version: '1' };
      request('ui/initialize', { protocolVersion: PROTOCOL, appInfo, appCapabilities: {} })
        .then((result) => {
          applyTheme((result as { hostContext?: HostContext }).hostContext);
          post({ method: 'ui/notifications/initialized', params: {} });
          new ResizeObserver(() => post(sizeChanged())).observe(document.documentElement);
          addEventListener('focus', () => void read().catch(() => undefined));
          return read();
        })
        .catch((cause: Error) => problem(cause.message));
    },
    async change(change) {
      changes += 1;
      await callTool('update', { concerns: change });
      setTimeout(() => void read().catch(() => undefined), ASK_AGAIN);
    },
  };
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: PanelState;
}

interface HostContext {
  readonly theme?: string;
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
}

interface HostMessage {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly method: string;
  readonly params: HostContext;
  readonly result: unknown;
  readonly error: { readonly message?: string };
}

function applyTheme(context: HostContext | undefined): void {
  const { style } = document.documentElement;
  if (context?.theme === 'light' || context?.theme === 'dark') style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (value !== undefined && name.startsWith('--')) style.setProperty(name, value);
  }
}

const sizeChanged = (): object => ({
  method: 'ui/notifications/size-changed',
  params: { height: Math.ceil(document.documentElement.getBoundingClientRect().height) },
});
