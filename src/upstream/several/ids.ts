/** Makes an id or progress token of a server different for the client: two servers may choose the same one. */
export const outwardId = (slug: string, id: unknown): string => `${slug}:${JSON.stringify(id)}`;

/** Returns the server that chose an id, and the id as it chose it; `undefined` for any other id. */
export function inwardId(id: unknown): { readonly slug: string; readonly id: string | number } | undefined {
  const [slug, text] = typeof id === 'string' ? (/^([^:]+):(.*)$/.exec(id)?.slice(1) ?? []) : [];
  if (slug === undefined || text === undefined) return undefined;
  try {
    const own: unknown = JSON.parse(text);
    return typeof own === 'string' || typeof own === 'number' ? { slug, id: own } : undefined;
  } catch {
    return undefined;
  }
}
