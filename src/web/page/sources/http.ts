import type { PanelState } from '../../../core/gate/panel/panel-document.js';
import type { Source } from '../source.js';
import { takeKey } from './page-key.js';
import { readEvents } from './read-events.js';

/** The pauses between attempts to reach the process, in milliseconds. */
const RETRY = { first: 500, longest: 8_000 };

const EXPIRED = 'The key of this page is no longer valid. Open the page again: mcp-concerns switch --open';

/** The source of a page in a tab: the control channel of `mcp-concerns serve`. */
export function httpSource(): Source {
  const headers = { authorization: `Bearer ${takeKey()}`, 'content-type': 'application/json' };
  const states = new Map<string, PanelState>();
  let current = '';
  let show: (state: PanelState) => void = () => undefined;

  const refresh = (): void => {
    const all = [...states.values()];
    const state = states.get(current) ?? all.at(-1);
    if (state === undefined) return;
    current = state.session;
    // The newest document knows which sessions there are now.
    const newest = all.reduce((a, b) => (b.revision > a.revision ? b : a));
    show({ ...state, sessions: newest.sessions.filter(({ id }) => states.has(id)) });
  };
  const receive = (event: { readonly gone: string } | PanelState): void => {
    if ('gone' in event) states.delete(event.gone);
    else if ((states.get(event.session)?.revision ?? -1) <= event.revision) states.set(event.session, event);
    refresh();
  };

  const put = async (session: string, path: string, body: object): Promise<void> => {
    const url = `/panel/sessions/${encodeURIComponent(session)}/${path}`;
    const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
    const { error, sessions = [] } = (await response.json()) as Answer;
    if (response.ok) return sessions.forEach(receive);
    throw new Error(response.status === 401 ? EXPIRED : (error ?? response.statusText));
  };

  return {
    kind: 'http',
    start({ state, problem }) {
      show = state;
      void follow(headers, receive, problem);
    },
    choose(session) {
      current = session;
      refresh();
    },
    change: (change, session) => put(session, 'concerns', { concerns: change }),
    answer: (proposal, allow, session) => put(session, `proposals/${proposal}`, { allow }),
  };
}

interface Answer {
  readonly error?: string;
  readonly sessions?: readonly PanelState[];
}

/** Follows the events of the process for as long as the page is open. `EventSource` cannot send the key in a header. */
async function follow(
  headers: Record<string, string>,
  receive: (event: { readonly gone: string } | PanelState) => void,
  problem: (message: string) => void,
): Promise<void> {
  for (let pause = RETRY.first; ; pause = Math.min(pause * 2, RETRY.longest)) {
    try {
      const response = await fetch('/panel/events', { headers });
      if (response.status === 401) return problem(EXPIRED);
      if (response.ok && response.body !== null) {
        pause = RETRY.first;
        for await (const event of readEvents(response.body)) receive(JSON.parse(event));
      }
    } catch {
      problem('The server cannot be reached. Start it again: this page reconnects by itself.');
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
