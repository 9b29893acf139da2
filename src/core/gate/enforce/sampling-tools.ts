import type { Configuration } from '../../engine/configuration.js';
import { outsideName } from '../../engine/servers/outside-names.js';
import { isMembers, type Members, membersOf, read, SAMPLING } from '../../wire/messages.js';
import { rewriteMembers } from './redact-texts.js';
import { decisionOnName, isBareShown, type Lists } from './visibility.js';

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
    return (
      listed?.effect === 'hide' || isHiddenToolName(lists, outsideName(server, 'tools', name), configuration)
    );
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
  const requests = result.inputRequests;
  if (typeof requests !== 'object' || requests === null) return result;
  const inputRequests = rewriteMembers(requests, (key, request) => {
    const params = read(request, 'params');
    if (read(request, 'method') !== SAMPLING || !isMembers(params)) return [key, request];
    const offered = withoutOfferedTools(params, isHidden);
    return [key, offered === params ? request : { ...membersOf(request), params: offered }];
  });
  return inputRequests === requests ? result : { ...result, inputRequests };
}
