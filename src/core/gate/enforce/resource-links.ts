import { read } from '../../wire/messages.js';
import { rewriteJson } from '../../wire/rewrite-json.js';

type Result = Record<string, unknown>;

/** Returns whether a result links to resources or embeds them, anywhere, or has the contents of resources. */
export const namesResources = (result: Result): boolean =>
  Array.isArray(result.contents) || withoutHiddenLinks(result, () => true) !== result;

/**
 * Removes links to hidden resources, embedded hidden resources and the contents of hidden resources from a result.
 *
 * @param result the result of any method that can link to resources
 * @param isHidden returns whether a URI is hidden, and as `content` also whether what it has is not for the caller
 * @returns the result; `undefined` if its contents were those of hidden resources only
 */
export function withoutHiddenLinks(
  result: Result,
  isHidden: (uri: string, what: 'link' | 'content') => boolean,
): Result | undefined {
  const isLink = (value: unknown): boolean => {
    const uri = linkedUri(value);
    return uri !== undefined && isHidden(uri, read(value, 'type') === 'resource_link' ? 'link' : 'content');
  };
  const { contents, messages } = result;
  let kept = result;
  if (Array.isArray(contents)) {
    const shown = contents.filter((each) => {
      const uri = read(each, 'uri');
      return typeof uri !== 'string' || !isHidden(uri, 'content');
    });
    if (shown.length === 0 && contents.length > 0) return undefined;
    if (shown.length < contents.length) kept = { ...kept, contents: shown };
  }
  // Without its content, a message is not valid.
  if (Array.isArray(messages)) {
    const shown = messages.filter((each) => !isLink(read(each, 'content')));
    if (shown.length < messages.length) kept = { ...kept, messages: shown };
  }
  return rewriteJson(kept, { drop: isLink });
}

/** Returns the URI of a link to a resource or of an embedded resource. */
function linkedUri(value: unknown): string | undefined {
  const uri = read(value, 'type') === 'resource_link' ? read(value, 'uri') : read(value, 'resource', 'uri');
  return typeof uri === 'string' ? uri : undefined;
}
