/**
 * Returns every form in which a server may read a URI. Both SDKs parse a URI first (`R://x`, ` r://x` and `r://a/../x`
 * become `r://x`), match template expressions across `?` and `#`, and pass template variables to code that may decode
 * them. Other servers decode a URI before they parse it (`file:%5C%5C/d/x` becomes `file:///d/x`). A check of the
 * original form alone would let the other forms through.
 *
 * @param uri the URI as the client sent it
 * @returns the unique variants, the URI itself first
 * @example
 * uriVariantsOf('R://a/../%62'); // ['R://a/../%62', 'r://a/%62', 'r://a/b', 'R://a/../b']
 */
export function uriVariantsOf(uri: string): readonly string[] {
  const parsed = normalizeUri(uri);
  const decoded = decode(parsed);
  const decodedFirst = decode(uri);
  const forms = [uri, parsed, decoded, normalizeUri(decoded), decodedFirst, normalizeUri(decodedFirst)];
  return [...new Set(forms.flatMap((form) => [form, asOneSegment(form)]))];
}

/** Returns the URI as a URL parser writes it (WHATWG URL); unchanged if the parser rejects it. */
export function normalizeUri(uri: string): string {
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

/** In the SDKs, the template expression `{id}` also matches `7?x`. */
function asOneSegment(uri: string): string {
  return uri.replace(/[?#]/g, encodeURIComponent);
}
