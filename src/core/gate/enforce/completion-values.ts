import { type Request, read } from '../../wire/messages.js';
import { expandTemplate } from './expand-template.js';
import { uriVariantsOf } from './uri-variants.js';

/** Tests of texts in a response. */
export interface HiddenTests {
  /** Whether a text is the name, URI or template of a hidden primitive. */
  isIdentity(text: string): boolean;
  /** Whether a URI is hidden, in any of its variants. */
  isUri(uri: string): boolean;
}

/**
 * Removes the values of a completion that are hidden names, or that complete a template to a hidden URI. The arguments
 * that the client has already completed (`context.arguments`) complete the template too.
 *
 * @param params the params of `completion/complete`
 * @param result its result
 * @param hidden tests of names and URIs
 * @returns the result without `total` if a value was removed, because the total includes hidden values; otherwise the
 *   same object
 */
export function withoutHiddenValues(
  params: Request['params'],
  result: Record<string, unknown>,
  hidden: HiddenTests,
): Record<string, unknown> {
  const completion = read(result, 'completion');
  const values = read(completion, 'values');
  if (!Array.isArray(values)) return result;
  const template = read(params, 'ref', 'uri');
  const argument = read(params, 'argument', 'name');
  const completed = (name: string): string | undefined => {
    const value = read(params, 'context', 'arguments', name);
    return typeof value === 'string' ? value : undefined;
  };
  const isHidden = (value: unknown): boolean => {
    if (typeof value !== 'string') return false;
    if (uriVariantsOf(value).some(hidden.isIdentity)) return true;
    if (typeof template !== 'string') return false;
    const uris = expandTemplate(template, (name) => (name === argument ? value : completed(name)));
    return uris.some(hidden.isUri);
  };
  const kept = values.filter((value) => !isHidden(value));
  if (kept.length === values.length) return result;
  const { total: _total, ...rest } = completion as Record<string, unknown>;
  return { ...result, completion: { ...rest, values: kept } };
}
