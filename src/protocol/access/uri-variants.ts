/**
 * Writes a URI in every way in which a server may read it: both SDKs parse it first (`R://x`, ` r://x` and `r://a/../x`
 * are `r://x` to them), match expressions of templates over `?` and `#`, and give their variables to code that decodes
 * them. Whoever judges only what was written lets all the other ways pass.
 *
 * @param uri the URI, as it was sent
 * @returns each way once, the URI itself first
 * @example
 * spellingsOf('R://a/../%62'); // ['R://a/../%62', 'r://%62', 'r://b']
 */
export function spellingsOf(uri: string): readonly string[] {
  const parsed = parse(uri);
  const decoded = decode(parsed);
  const ways = [uri, parsed, decoded, parse(decoded)];
  return [...new Set(ways.flatMap((way) => [way, inOneSegment(way)]))];
}

/** @returns the URI as a URL parser writes it (WHATWG URL); what it refuses, as it is */
export function parse(uri: string): string {
  try {
    return new URL(uri).href;
  } catch {
    return uri;
  }
}

/** Runs are decoded together, since one character may be several bytes; what is no UTF-8 stays. */
function decode(uri: string): string {
  return uri.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** `{id}` of an SDK covers `7?x`. */
function inOneSegment(uri: string): string {
  return uri.replace(/[?#]/g, encodeURIComponent);
}
