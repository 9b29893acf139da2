import {
  byKind,
  type CompiledAssign,
  type CompiledBind,
  type CompiledEntry,
  type CompiledPolicy,
  type CompiledValue,
} from '../../engine/policy.js';
import { fullName, outsideName } from '../../engine/servers/outside-names.js';
import { boundArgument } from '../../engine/uses/policy-uses.js';
import { parseUse } from '../../engine/uses/use-name.js';
import {
  type ServerPart,
  type Servers,
  type SharedConcerns,
  sharedValue,
} from '../check/servers/server-parts.js';
import { sharePresets } from '../check/servers/shared-presets.js';
import { withDigest } from './compile.js';
import { joinPins } from './lock.js';
import { inOuterWords, scoped } from './scoped-condition.js';

/**
 * Joins the policies of several servers into one of the ordinary format, with the names that hosts see. Each decides about
 * the primitives of its server as it does alone.
 *
 * @param servers the policies, without errors
 * @returns the policy. What `top` says about a name wins over what the policy of its server says
 * @example
 * compose(servers).primitives.tools[0]?.name; // 'files__write'
 */
export function compose(servers: Servers): CompiledPolicy {
  const { top, parts, shared } = servers;
  for (const { policy } of parts) if (policy !== undefined) requireJoined(policy);
  let files = top.files.length;
  const outside = parts.flatMap((part) => {
    const first = files;
    files += part.policy?.files.length ?? 0;
    return part.policy === undefined ? [] : [outsidePolicy(part, part.policy, shared, first)];
  });
  const pins = [...outside, top].flatMap((each) => each.pins ?? []);
  const defaultsFor = [...outside, top].flatMap((each) => each.defaultsFor ?? []);
  const presented = [...outside.flatMap(({ present }) => present), ...Object.entries(top.present ?? {})];
  const bound = [...outside.flatMap(({ bind }) => bind), ...(top.bind ?? [])];
  const { digest: _digest, pins: _pins, defaultsFor: _defaultsFor, ...rest } = top;
  return withDigest({
    ...rest,
    files: [...top.files, ...parts.flatMap(({ policy }) => policy?.files ?? [])],
    presets: sharePresets(servers),
    primitives: byKind((kind) => {
      const own = new Set(top.primitives[kind].map(({ name }) => name));
      const below = outside.flatMap(({ primitives }) => primitives[kind]);
      return [...below.filter(({ name }) => !own.has(name)), ...top.primitives[kind]];
    }),
    patterns: byKind((kind) => [...outside.flatMap(({ patterns }) => patterns[kind]), ...top.patterns[kind]]),
    assign: [
      ...serverValues(servers),
      ...shownServers(servers),
      ...outside.flatMap(({ assign }) => assign),
      ...top.assign,
    ],
    rules: [...top.rules, ...outside.flatMap(({ rules }) => rules)],
    ...(defaultsFor.length === 0 ? {} : { defaultsFor }),
    settings: { ...top.settings, unmapped: hidesUnmapped(servers) ? 'hide' : 'show' },
    ...(bound.length === 0 ? {} : { bind: bound }),
    ...(presented.length === 0 ? {} : { present: Object.fromEntries(presented) }),
    ...(pins.length === 0 ? {} : { pins: joinPins(pins) }),
  });
}

/** Every member of a policy is joined here. One that is forgotten does not compile, and one of a later version is not dropped. */
const JOINED: Readonly<Record<keyof CompiledPolicy, true>> = {
  format: true,
  digest: true,
  label: true,
  files: true,
  concerns: true,
  presets: true,
  primitives: true,
  patterns: true,
  assign: true,
  rules: true,
  defaultsFor: true,
  settings: true,
  pins: true,
  present: true,
  bind: true,
};

function requireJoined(policy: CompiledPolicy): void {
  const other = Object.keys(policy).find((name) => !Object.hasOwn(JOINED, name));
  if (other !== undefined)
    throw new TypeError(`"${other}" of the policy of one server cannot be joined with those of others.`);
}

/** The policy of one server with the names, values and conditions that it has outside. */
function outsidePolicy(part: ServerPart, policy: CompiledPolicy, shared: SharedConcerns, firstFile: number) {
  const { slug } = part;
  const inPlace = <T extends { readonly file: number }>(each: T): T => ({
    ...each,
    file: firstFile + each.file,
  });
  const entries = (section: 'primitives' | 'patterns', join = outsideName) =>
    byKind((kind) =>
      policy[section][kind].map((entry) => ({
        ...inPlace(entry),
        name: kind === 'tools' ? outsideUse(slug, entry.name, join) : join(slug, kind, entry.name),
        values: outsideValues(part, shared, entry.values),
      })),
    );
  const { pins, present = {}, bind = [] } = policy;
  return {
    present: Object.entries(present).map(
      ([name, each]) => [outsideUse(slug, name, outsideName), each] as const,
    ),
    bind: bind.map(({ name, from }): CompiledBind => {
      const { tool, argument } = boundArgument(name);
      return {
        name: `${fullName(slug, 'tools', tool)}(${argument})`,
        from: inOuterWords(part, shared, from),
      };
    }),
    primitives: entries('primitives'),
    // Patterns are compared with names before they are shortened.
    patterns: entries('patterns', fullName),
    assign: [
      ...selfDeclared(part, shared),
      ...policy.assign.map((each) => ({
        ...inPlace(each),
        when: scoped(part, shared, each.when),
        values: outsideValues(part, shared, each.values),
      })),
    ],
    rules: policy.rules.map((each) => ({
      ...inPlace(each),
      id: `${slug}/${each.id}`,
      when: scoped(part, shared, each.when),
    })),
    defaultsFor: policy.defaultsFor,
    pins:
      pins &&
      byKind((kind) => {
        const digests = Object.entries(pins[kind]).map(([name, digest]) => [
          outsideName(slug, kind, name),
          digest,
        ]);
        return Object.fromEntries(digests);
      }),
  };
}

/** The name of a tool, or of a use of it: the tool has another name outside, and the use is added to that. */
function outsideUse(slug: string, name: string, join: typeof outsideName): string {
  const use = parseUse(name);
  if (use === undefined) return join(slug, 'tools', name);
  return `${join(slug, 'tools', use.tool)}${name.slice(use.tool.length)}`;
}

function outsideValues(
  part: ServerPart,
  shared: SharedConcerns,
  values: CompiledEntry['values'],
): CompiledEntry['values'] {
  const outside = Object.entries(values).flatMap(([concern, { is, line }]): [string, CompiledValue][] => {
    if (!part.concerns.has(concern)) return [];
    // A primitive without a value of its own still belongs to its server.
    const removed = shared.hierarchies.has(concern) ? [part.slug] : is;
    const given = is === 'any' ? removed : is.map((value) => sharedValue(part, shared, concern, value));
    return [[concern, { is: given === 'any' ? given : [...new Set(given)], line }]];
  });
  return Object.fromEntries(outside);
}

const isOf = (...slugs: readonly string[]) => ({ in: [{ var: 'primitive.server' }, slugs] });

/** Every primitive has at least the name of its server as a value of a hierarchy. */
function serverValues({ top, parts, shared: { hierarchies } }: Servers): CompiledAssign[] {
  if (hierarchies.size === 0) return [];
  return parts.map(({ slug, entry }) => {
    const line = entry?.file.locate(['servers', entry.key], 'key').line ?? 1;
    const file = Math.max(0, top.files.indexOf(entry?.file.source.file ?? ''));
    const values = Object.fromEntries([...hierarchies].map((name) => [name, { is: [slug], line }]));
    return { when: isOf(slug), file, line, values, maps: false };
  });
}

/** `unmapped` of a server without a policy is that of all servers. */
const unmappedOf = (top: CompiledPolicy, { policy }: ServerPart) => (policy ?? top).settings.unmapped;

const hidesUnmapped = ({ top, parts }: Servers): boolean =>
  top.settings.unmapped === 'hide' || parts.some((part) => unmappedOf(top, part) === 'hide');

/** Where one server hides what it does not map, what the others list counts as mapped. */
function shownServers(servers: Servers): CompiledAssign[] {
  const { top, parts } = servers;
  const shown = parts.filter((part) => unmappedOf(top, part) === 'show').map(({ slug }) => slug);
  if (shown.length === 0 || !hidesUnmapped(servers)) return [];
  return [{ when: isOf(...shown), file: 0, line: 1, values: {} }];
}

/** A server can declare values in `_meta.concerns`, and they are those of its own scale. */
function selfDeclared(part: ServerPart, shared: SharedConcerns): CompiledAssign[] {
  const { slug, entry } = part;
  return [...(entry?.map ?? [])].flatMap(([concern, map]) => {
    if (!part.concerns.has(concern) || shared.hierarchies.has(concern)) return [];
    const declared = { var: `primitive.meta.concerns.${concern}` };
    return [...map].map(([value, outside]) => ({
      when: { and: [isOf(slug), { or: [{ '===': [declared, value] }, { in: [value, declared] }] }] },
      file: 0,
      line: entry?.file.locate(['servers', entry.key, 'map', concern, value]).line ?? 1,
      values: { [concern]: { is: [outside], line: 1 } },
      maps: false,
    }));
  });
}
