import type { Configuration } from '../../engine/configuration.js';
import { read, SAMPLING } from '../../wire/messages.js';
import { joinName } from '../../wire/server-names.js';
import { decisionOnName, isBareShown, type Lists } from './visibility.js';

type Members = Record<string, unknown>;

/**
 * Returns whether a name is that of a hidden tool. A tool that is not listed can be one that exists only for sampling.
 *
 * @param server which of several servers offers the tool, under its own name or the one outside
 */
export function isHiddenToolName(
  lists: Lists,
  name: string,
  configuration: Configuration,
  server?: string,
): boolean {
  const listed = decisionOnName(lists.tools, name, configuration);
  if (server !== undefined)
    return listed?.effect === 'hide' || isHiddenToolName(lists, joinName(server, name), configuration);
  return listed === undefined ? !isBareShown(lists, 'tools', name, configuration) : listed.effect === 'hide';
}

/**
 * Removes hidden tools from the tools that a server offers to the model of the client.
 *
 * @param params the params of `sampling/createMessage`
 * @param isHidden returns whether a name is that of a hidden tool
 * @returns the params; the same object if they offer no hidden tool
 */
export function withoutOfferedTools(params: Members, isHidden: (name: string) => boolean): Members {
  const { tools } = params;
  if (!Array.isArray(tools)) return params;
  const shown = tools.filter((tool) => {
    const name = read(tool, 'name');
    return typeof name !== 'string' || !isHidden(name);
  });
  return shown.length === tools.length ? params : { ...params, tools: shown };
}

/** Does the same for the sampling requests in a result of 2026-07-28 that requires input. */
export function withoutHiddenTools(result: Members, isHidden: (name: string) => boolean): Members {
  const requests = read(result, 'inputRequests');
  if (typeof requests !== 'object' || requests === null) return result;
  let isChanged = false;
  const entries = Object.entries(requests).map(([key, request]) => {
    const params = read(request, 'params');
    if (read(request, 'method') !== SAMPLING || typeof params !== 'object' || params === null) {
      return [key, request];
    }
    const shown = withoutOfferedTools({ ...params }, isHidden);
    isChanged ||= read(shown, 'tools') !== read(params, 'tools');
    return [key, { ...request, params: shown }];
  });
  return isChanged ? { ...result, inputRequests: Object.fromEntries(entries) } : result;
}
