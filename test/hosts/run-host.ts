import type { Seen } from './conversation.js';
import type { Host, Setting, Turn } from './host.js';
import type { Installed } from './install.js';
import type { Place } from './place.js';
import { type Ended, startProcess } from './processes.js';
import type { ScriptedModel } from './scripted-model.js';

/** What one measurement found, request by request. */
export interface Outcome {
  readonly seen: readonly Seen[];
  readonly notes: readonly string[];
  /** The end of what the host wrote, to see why it did not do what the measurement needs. */
  readonly log?: readonly string[];
}

/** Everything that a measurement needs. */
export interface Bench {
  readonly host: Host;
  readonly installed: Installed;
  readonly model: ScriptedModel;
}

/** The longest run of a host, in milliseconds. */
export const LONGEST = 180_000;

/** Writes the configuration of the host, starts it once, and waits until it ends. */
export async function runHost(
  { host, installed }: Pick<Bench, 'host' | 'installed'>,
  place: Place,
  setting: Setting,
  turn: Turn,
): Promise<Ended> {
  host.configure(setting);
  return startHost({ host, installed }, place, setting, turn);
}

/** Starts the host with the configuration that it has, and waits until it ends. */
export async function startHost(
  { host, installed }: Pick<Bench, 'host' | 'installed'>,
  place: Place,
  setting: Setting,
  turn: Turn,
): Promise<Ended> {
  const { args, env } = host.start(setting, turn);
  const options = { cwd: place.work, env: { ...place.env, ...env }, longest: LONGEST };
  return startProcess(installed.program, args, options).ended;
}

/** The end of what the host wrote. */
export function logOf({ code, stdout, stderr }: Ended): string[] {
  const tail = (text: string): string => text.trim().slice(-400);
  return [`exit ${code}`, tail(stdout), ...(code === 0 ? [] : [tail(stderr)])];
}
