import { isDeepStrictEqual } from 'node:util';
import { configurationFor } from '../../../core/engine/added-tools.js';
import { withClaim } from '../../../core/engine/claims.js';
import { type Caller, type Configuration, resolveConfiguration } from '../../../core/engine/configuration.js';
import { type Decision, evaluate } from '../../../core/engine/evaluate.js';
import { identityOf, type Mapping, mapPrimitive, type ServerCatalog } from '../../../core/engine/mapping.js';
import { mapListed } from '../../../core/engine/pins.js';
import { KINDS, type Kind, type Policy } from '../../../core/engine/policy.js';
import { ADDED_TOOLS, HIDDEN_TOOLS } from '../../../core/engine/preference-source.js';
import { bindCatalog, select } from '../../../core/engine/select.js';
import { serversIn } from '../../../core/engine/servers/outside-names.js';
import { barePrimitive } from '../../../core/gate/enforce/of-servers.js';
import { decisionIdOf } from '../../../core/telemetry/decision-id.js';
import { decisionFields } from '../../../core/telemetry/report-fields.js';
import { read } from '../../../core/wire/messages.js';
import type { LoggedDecision } from './log-line.js';

/** A decision of a log line, made again. */
export interface Replay {
  /** Whether the decision is the same, and the line intact. */
  readonly same: boolean;
  /** The argument because of which a call was refused. The line has no arguments, so that is not decided again. */
  readonly argument: unknown;
  readonly logged: LoggedDecision;
  /** The fields of the decision as they are now, as a log has them. */
  readonly replayed: object;
  /** The decision about a primitive; undefined for a list. */
  readonly decision: Decision | undefined;
  /** What the list did with one primitive, or with each that it hid. */
  readonly members: readonly ListMember[];
  readonly differences: readonly FieldDifference[];
  /** Whether the fields of the line have the id that the line says. If not, the line was changed. */
  readonly intact: boolean;
  /** Paths of claims and of the client that rules read, and that a log line does not contain. */
  readonly unlogged: Policy['callerPaths'];
}

/** A field of a log line that has another value now. */
export interface FieldDifference {
  readonly field: string;
  readonly logged: unknown;
  readonly replayed: unknown;
}

/**
 * Makes the decision of a log line again.
 *
 * @param logged the decision in the line
 * @param policy the policy
 * @param catalog the catalog of the server
 * @param caller claims and capabilities that rules read; a log line does not contain them
 * @returns the decision, and how it differs from that of the line
 * @example
 * replay(parseLogLine(text), policy, catalog).same; // true
 */
export function replay(
  logged: LoggedDecision,
  policy: Policy,
  catalog: ServerCatalog,
  caller: Caller = {},
  name?: string,
): Replay {
  const { about } = logged;
  const configuration = configurationOf(logged, policy, caller);
  const decision = about.what === 'list' ? undefined : decisionAbout(about, catalog, configuration);
  const outcome = about.what === 'list' ? listOutcome(about, catalog, configuration) : {};
  const members = about.what === 'list' ? membersOf(about.kind, catalog, configuration, name) : [];
  const fields = { ...outcome, ...(decision && decisionFields(decision)), policy: policy.digest };
  const replayed: object = JSON.parse(JSON.stringify(fields));
  const argument = read(logged.line, 'argument');
  const names = [
    ...['policy', 'shown', 'total', 'hidden'],
    ...(argument === undefined ? ['effect', 'reason'] : []),
  ];
  const differences = names.flatMap((field) => {
    const [before, now] = [read(logged.line, field), read(replayed, field)];
    return isDeepStrictEqual(before, now) ? [] : [{ field, logged: before, replayed: now }];
  });
  const intact = decisionIdOf(logged.line) === logged.decision;
  const unlogged = policy.callerPaths;
  const same = differences.length === 0 && intact;
  return { same, argument, logged, replayed, decision, members, differences, intact, unlogged };
}

/** @returns the configuration with the values in effect of the line, whichever sources they came from */
function configurationOf(
  { concerns, sources, model }: LoggedDecision,
  policy: Policy,
  caller: Caller,
): Configuration {
  const preferences: Record<string, unknown> = Object.create(null);
  // What the request itself stated is stronger than the tools that a model added.
  const stated: Record<string, unknown> = Object.create(null);
  let claiming = caller;
  for (const concern of policy.concerns) {
    const { name, setBy, claim } = concern;
    const value = read(concerns, name);
    if (setBy === 'operator') {
      // A claim that gave no value is not in the line, but it denied everything.
      const wasDenied = /^(unmatched|several)-claims?$/.test(String(read(sources, name)));
      if (claim !== undefined && (value !== undefined || wasDenied)) {
        claiming = withClaim(claiming, concern, [value ?? ''].flat().map(String));
      }
    } else if (read(sources, name) === 'model') preferences[name] = null;
    else if (value !== undefined && String(read(sources, name)).startsWith('request')) stated[name] = value;
    else if (value !== undefined) preferences[name] = value;
    // Without a value, the default must not apply: in the line, nothing was in effect for this concern.
    else if (read(sources, name) !== 'forgotten') preferences[name] = null;
  }
  for (const key of [ADDED_TOOLS, HIDDEN_TOOLS]) preferences[key] = read(concerns, key);
  const forgotten = Object.values(sources).includes('forgotten');
  const all = [
    ...(Object.keys(model).length === 0 ? [] : [{ from: 'model', concerns: model } as const]),
    { from: 'request', concerns: stated } as const,
    { from: 'session', concerns: preferences } as const,
  ];
  return resolveConfiguration(policy, all, { ...claiming, forgotten });
}

/** What a list did with a primitive. */
export interface ListMember {
  readonly name: string;
  readonly decision: Decision;
}

function membersOf(
  kind: Kind,
  catalog: ServerCatalog,
  configuration: Configuration,
  name: string | undefined,
): readonly ListMember[] {
  const { policy } = configuration;
  return (catalog[kind] ?? []).flatMap((item) => {
    const each = identityOf(kind, item);
    if (name !== undefined && each !== name) return [];
    const decision = evaluate(mapListed(policy, kind, item), configurationFor(configuration, kind, each));
    return name === undefined && decision.effect === 'show' ? [] : [{ name: each, decision }];
  });
}

function listOutcome(
  { kind, filtered }: { readonly kind: Kind; readonly filtered: number },
  catalog: ServerCatalog,
  configuration: Configuration,
): object {
  const bound = bindCatalog(configuration.policy, kind, catalog[kind] ?? []);
  const { kept, total, hidden } = select(bound, configuration);
  const counts = filtered === 0 ? hidden : { ...hidden, filter: filtered };
  const shown = kept.length - filtered;
  return Object.keys(counts).length === 0 ? { shown, total } : { shown, total, hidden: counts };
}

function decisionAbout(
  { kinds, name }: { readonly kinds: readonly Kind[]; readonly name: string },
  catalog: ServerCatalog,
  configuration: Configuration,
): Decision {
  const { policy } = configuration;
  const decided = (mapping: Mapping): Decision =>
    evaluate(mapping, configurationFor(configuration, mapping.kind, name));
  const decisions = kinds.flatMap((kind) => {
    const meant = (catalog[kind] ?? []).filter((item) => identityOf(kind, item) === name);
    return meant.map((item) => decided(mapListed(policy, kind, item)));
  });
  const [kind = 'tools'] = kinds;
  const servers = serversIn(KINDS.flatMap((each) => catalog[each] ?? []));
  return (
    decisions.find(({ effect }) => effect === 'hide') ??
    decisions[0] ??
    decided(mapPrimitive(policy, kind, barePrimitive({ servers }, kind, name)))
  );
}
