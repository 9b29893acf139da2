import type { Primitive } from '../../engine/mapping.js';
import type { Concern, Kind } from '../../engine/policy.js';
import { ERRORS, type Failure } from '../../wire/messages.js';
import type { Facts } from '../request/facts.js';
import { canSwitch, clientSurfaces, offersTool, openToModel } from '../request/switching.js';
import { type PanelNames, panelMode, panelNames } from '../table/routes.js';
import { inputSchemaFor } from './model-parameters.js';

/**
 * Adds the gate's own tools and prompts to the last page of a list, from which those of the server with the same names are
 * left out. A client that filters the list itself gets what it filters for.
 *
 * @param facts the list request, which has its configuration
 * @param list the server's list
 * @param page the result for the client
 * @returns the same object if nothing is added
 */
export function withOwnEntries(
  facts: Facts,
  { kind, filterKey }: { readonly kind: Kind; readonly filterKey: string },
  page: Record<string, unknown>,
): Record<string, unknown> {
  const own = ownEntries(facts, kind);
  const listed = page[kind];
  if (own.length === 0 || page.nextCursor !== undefined || filterKey !== '' || !Array.isArray(listed))
    return page;
  return { ...page, [kind]: [...listed, ...own] };
}

/**
 * Returns the result of a list request that the server does not support. The gate declares lists that the server may not
 * have, so it must answer them.
 *
 * @returns `undefined` if the error is another one, or if `settings.panel` is off
 */
export function ownListOnly(
  facts: Facts,
  kind: Kind,
  { code }: Failure['error'],
): Record<string, unknown> | undefined {
  if (code !== ERRORS.methodNotFound || panelMode(facts.policy.settings) === 'off') return undefined;
  return { [kind]: ownEntries(facts, kind) };
}

function ownEntries(facts: Facts, kind: Kind): readonly Primitive[] {
  const mode = panelMode(facts.policy.settings);
  if (mode === 'off') return [];
  if (kind === 'tools') return offersTool(facts) ? ownTools(facts) : [];
  // Also where nothing is kept: there a prompt says what to put into the URL.
  return kind === 'prompts' && mode === 'on' ? ownPrompts(facts) : [];
}

function ownTools(facts: Facts): readonly Primitive[] {
  const { app } = clientSurfaces(facts);
  const names = panelNames(facts.policy.settings);
  const open = openToModel(facts);
  const yours = open.length === 0 ? '' : ` Arguments change it: ${open.map(({ name }) => name).join(', ')}.`;
  const how = open.some(({ model }) => model === 'free') ? ' with list: true' : '';
  const tool = {
    name: names.tool,
    title: 'What is shown',
    description: `Tells which tools are shown and why, and lets the person change that.${yours} Call it${how} if a tool that the task needs is missing.`,
    inputSchema: inputSchemaFor(open),
    annotations: {
      readOnlyHint: open.length === 0,
      ...(open.length === 0 ? {} : { destructiveHint: false, idempotentHint: true }),
      openWorldHint: false,
    },
  };
  if (!app) return [tool];
  // The second key is the one of hosts from before MCP Apps was an extension.
  const linkToPage = { ui: { resourceUri: names.page }, 'ui/resourceUri': names.page };
  return [{ ...tool, _meta: linkToPage }, ...toolsOfPage(names, canSwitch(facts))];
}

/** For the page: MCP Apps, `visibility: ["app"]`. Any page of the server can call them too. */
function toolsOfPage(names: PanelNames, maySwitch: boolean): readonly Primitive[] {
  const _meta = { ui: { resourceUri: names.page, visibility: ['app'] } };
  const readTool = {
    name: names.readTool,
    description: 'Returns what the page shows.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta,
  };
  const updateTool = {
    name: names.updateTool,
    description: 'Makes a change of the page that shows less.',
    inputSchema: {
      type: 'object',
      properties: { concerns: { type: 'object' } },
      required: ['concerns'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    _meta,
  };
  return maySwitch ? [readTool, updateTool] : [readTool];
}

function ownPrompts(facts: Facts): readonly Primitive[] {
  const { policy } = facts;
  const names = panelNames(policy.settings);
  const does = canSwitch(facts) ? 'Switches' : 'Says how to switch';
  const presets = [...policy.presets.keys()].map((preset) => ({
    name: `${names.presetPrompt}${preset}`,
    title: `Show: ${preset}`,
    description: `${does} what is shown to the preset ${preset}.`,
  }));
  const host = policy.concerns.filter(({ setBy }) => setBy === 'host');
  const prompt = {
    name: names.prompt,
    title: 'What is shown',
    description: `${does} what is shown. Values that are left out stay; "any" removes a value.`,
    arguments: host.map((concern) => ({
      name: concern.name,
      description: `${concern.description === undefined ? '' : `${concern.description}: `}${choices(concern)}`,
      required: false,
    })),
  };
  return [...presets, prompt];
}

const choices = ({ values }: Concern): string =>
  'min' in values ? `a number from ${values.min} to ${values.max}, or any` : [...values, 'any'].join(', ');
