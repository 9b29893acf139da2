import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** What the test reads of the host. */
interface Seen {
  /** The tools for the model, after each time that the host listed. */
  readonly lists: string[][];
  /** The calls that the view made. */
  readonly calls: string[];
  /** What the model reads after its call of the tool `concerns`. */
  text: string;
}

const seen: Seen = { lists: [], calls: [], text: '' };
Object.assign(globalThis, { seen });

const MIME_TYPE = 'text/html;profile=mcp-app';
/** The policy of the specification for a resource without `csp`, stricter: nothing is fetched at all. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'";

/** How long the host keeps the answers to reads back, in milliseconds. */
const LATE = 500;

/** An AI host in a web page: shows the page of the server in a sandboxed frame, and passes its tool calls on. */
async function run(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const client = new Client(
    { name: 'app-host', version: '1' },
    { capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME_TYPE] } } } },
  );
  const list = async (): Promise<void> => {
    const { tools } = await client.listTools();
    const forModel = tools.filter(
      ({ _meta }) => !JSON.stringify(_meta?.ui ?? {}).includes('"visibility":["app"]'),
    );
    seen.lists.push(forModel.map(({ name }) => name));
  };
  client.setNotificationHandler('notifications/tools/list_changed', list);
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)));
  await list();

  const { contents } = await client.readResource({ uri: 'ui://concerns/panel.html' });
  const [page] = contents;
  const html = page !== undefined && 'text' in page ? page.text : '';
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'width:100%;border:0;height:300px;color-scheme:normal';
  document.body.append(frame);
  const view = frame.contentWindow;
  if (view === null) throw new Error('The frame has no window.');

  const theme = query.get('theme') === 'dark' ? 'dark' : 'light';
  const bridge = new AppBridge(
    null,
    { name: 'app-host', version: '1' },
    { serverTools: { listChanged: true } },
    { hostContext: { theme } },
  );
  bridge.oncalltool = async (params) => {
    seen.calls.push(params.name);
    const result = await client.callTool(params);
    // A read that was answered before a change can reach the view after it.
    if (query.has('late') && params.name === 'concerns_read') await new Promise((go) => setTimeout(go, LATE));
    return result;
  };
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  const result = await client.callTool({ name: 'concerns', arguments: {} });
  const [first] = result.content;
  seen.text = first?.type === 'text' ? first.text : '';
  bridge.oninitialized = () => {
    void bridge.sendToolInput({ arguments: {} });
    void bridge.sendToolResult(result);
  };
  // Before the frame has content: the view speaks first.
  await bridge.connect(new PostMessageTransport(view, view));
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  frame.srcdoc = html.replace('<meta charset="utf-8">', `<meta charset="utf-8">${policy}`);
}

run().catch((cause: unknown) => document.body.append(`Failed: ${String(cause)}`));
