import { inOwnUri, ONE_SERVER } from '../../engine/servers/outside-names.js';

/**
 * Returns every form in which a server may read a URI. Both SDKs parse a URI first (`R://x`, ` r://x` and `r://a/../x`
 * become `r://x`), match template expressions across `?` and `#`, and pass template variables to code that may decode
 * them. Other servers decode a URI before they parse it (`file:%5C%5C/d/x` becomes `file:///d/x`). A check of the
 * original form alone would let the other forms through.
 *
 * @param uri the URI as the client sent it
 * @param servers of several servers, their names: a server reads its own URI, without its name before it
 * @returns the unique variants, the URI itself first
 * @example
 * uriVariantsOf('R://a/../%62'); // ['R://a/../%62', 'r://a/%62', 'r://a/b', 'R://a/../b']
 */
export const uriVariantsOf = (uri: string, servers: ReadonlySet<string> = ONE_SERVER): readonly string[] =>
  inOwnUri(servers, uri, formsOf);

function formsOf(uri: string): readonly string[] {
  const parsed = parse(uri);
  const decoded = decode(parsed);
  const decodedFirst = decode(uri);
  const forms = new Set([uri, parsed, decoded, parse(decoded), decodedFirst, parse(decodedFirst)]);
  return [...new Set([...forms].flatMap((form) => [form, asOneSegment(form)]))];
}

/** Returns the URI as a URL parser writes it (WHATWG URL); unchanged if the parser rejects it. */
export const normalizeUri = (uri: string, servers: ReadonlySet<string> = ONE_SERVER): string =>
  inOwnUri(servers, uri, (own) => [parse(own)])[0] ?? uri;

function parse(uri: string): string {
  try {
    return new URL(uri).href;
  } catch {
    return uri;
  }
}

/** Adjacent escapes are decoded together, since a character may have several bytes. Invalid UTF-8 stays escaped. */
function decode(uri: string): string {
  return uri.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** In the SDKs, the template expression `{id}` also matches `7?x`. A replacement takes twice as long for a URI of such characters. */
const asOneSegment = (uri: string): string => uri.split('?').join('%3F').split('#').join('%23');
