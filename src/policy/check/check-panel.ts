import { identityOf, type ServerCatalog } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import { KIND_NAMES } from '../language/kind-names.js';
import type { ReportPart } from './catalog-places.js';
import type { CheckedFile } from './check-values.js';

/** The names that the gate adds under `settings.panel`. `gate/table/panel-routes.ts` has the same. */
export const PANEL_NAMES = {
  tools: ['concerns', 'concerns_read', 'concerns_update'],
  prompts: ['concerns'],
  presetPrompt: 'concerns-',
} as const;

/**
 * Reports primitives of a server that have the name of one that the gate adds under `settings.panel`. The server's is
 * listed then, and the gate's is not.
 *
 * @param files the files of the policy
 * @param policy the policy that was compiled from these files
 * @param catalog the primitives that the server lists
 * @param report receives one finding for each name
 * @example
 * checkPanelNames(files, policy, { tools: [{ name: 'concerns' }] }, report);
 */
export function checkPanelNames(
  files: readonly CheckedFile[],
  { settings, presets }: Policy,
  catalog: ServerCatalog,
  report: ReportPart,
): void {
  // The last file that has the setting decides.
  const file = files.findLast(({ document }) => document.settings?.panel !== undefined);
  if (file === undefined || settings.panel === 'off') return;
  // Without `on`, the gate adds neither prompts nor the tool that changes something.
  const isOn = settings.panel === 'on';
  const own = {
    tools: PANEL_NAMES.tools.filter((name) => isOn || name !== 'concerns_update'),
    prompts: isOn
      ? [...PANEL_NAMES.prompts, ...[...presets.keys()].map((name) => `${PANEL_NAMES.presetPrompt}${name}`)]
      : [],
  };
  for (const kind of ['tools', 'prompts'] as const) {
    const listed = new Set((catalog[kind] ?? []).map((item) => identityOf(kind, item)));
    for (const name of own[kind].filter((each) => listed.has(each))) {
      const noun = KIND_NAMES[kind][0];
      const message = `The server has a ${noun} "${name}" of its own, so the ${noun} "${name}" of "panel" is not added. Rename the ${noun} of the server, or switch with the page or "mcp-concerns switch".`;
      report(file, ['settings', 'panel'], 'panel-name-taken', message);
    }
  }
}
