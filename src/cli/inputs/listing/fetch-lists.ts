import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Primitive } from '../../../core/engine/mapping.js';
import type { Kind } from '../../../core/engine/policy.js';
import { leftOutIn, leftOutLine } from '../../../core/engine/servers/left-out.js';
import { itemsOf } from '../../../core/gate/request/whole-list.js';
import type { SeveralCatalog } from '../../../core/policy/check/servers/own-catalog.js';
import { LISTS, read } from '../../../core/wire/messages.js';
import { walkPages } from '../../../core/wire/page-walker.js';
import { CliError } from '../../errors.js';
import { shorten } from './failure.js';

/** Whether the server answered with an error. */
export const isAnswer = (cause: unknown): cause is McpError =>
  cause instanceof McpError &&
  cause.code !== ErrorCode.ConnectionClosed &&
  cause.code !== ErrorCode.RequestTimeout;

type Request = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Fetches all lists. One that the server refuses is left out, with the reason; a server that refuses all has no catalog. */
export async function fetchLists(
  kinds: readonly Kind[],
  request: Request,
  server: string,
): Promise<SeveralCatalog> {
  const lists: { [K in Kind]?: readonly Primitive[] } = {};
  const unlisted: { [K in Kind]?: string } = {};
  const leftOut = new Map<string, string[]>();
  for (const kind of kinds) {
    try {
      const items = await fetchList(kind, request, leftOut);
      if (items !== undefined) lists[kind] = items;
    } catch (cause) {
      if (!isAnswer(cause)) throw cause;
      unlisted[kind] = `${server} refused ${LISTS[kind].method}: ${shorten(cause.message)}`;
    }
  }
  const [reason] = Object.values(unlisted);
  const told = leftOut.size === 0 ? {} : { leftOut: Object.fromEntries(leftOut) };
  if (reason === undefined) return { ...lists, ...told };
  if (Object.keys(lists).length === 0) throw new CliError(reason);
  return { ...lists, ...told, unlisted };
}

/** @returns the items of all pages of one list; undefined if the server does not have this list */
async function fetchList(
  kind: Kind,
  request: Request,
  leftOut: Map<string, string[]>,
): Promise<Primitive[] | undefined> {
  const { method } = LISTS[kind];
  const items: Primitive[] = [];
  const { end, pages } = await walkPages(
    (cursor) => request(method, cursor === undefined ? {} : { cursor }),
    {
      onPage: (page) => {
        const found = itemsOf(kind, page);
        if (found === undefined)
          throw new CliError(`The server answered ${method} without a list of ${kind}.`);
        items.push(...found);
        for (const [slug, found] of leftOutIn(read(page, '_meta')))
          leftOut.set(slug, [...(leftOut.get(slug) ?? []), ...found.map(leftOutLine)]);
        return found.length;
      },
    },
  );
  if (end.kind === 'complete' || end.kind === 'repeated-cursor') return items;
  if (end.kind !== 'failed') {
    throw new CliError(
      `The server's pages of ${method} do not end: ${pages} pages have arrived (${end.kind}).`,
    );
  }
  // The capability `resources` covers two lists, and many servers have only one of them. Some declare prompts or resources
  // that they do not have at all. Without tools, there is nothing to write a policy for.
  if (kind !== 'tools' && read(end.error, 'code') === ErrorCode.MethodNotFound) return undefined;
  throw end.error;
}
