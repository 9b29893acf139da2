import { membersOf } from '../../engine/expression/evaluate.js';
import { OPERAND_COUNTS } from '../../engine/expression/expression.js';
import { identityOf, type ServerCatalog } from '../../engine/mapping.js';
import { type Concern, KINDS } from '../../engine/policy.js';
import { type PositionInYaml, positionInYaml } from '../language/path-at.js';
import { policySchema } from '../language/schema.js';
import { toYamlScalar } from '../language/yaml-scalars.js';
import { rulePaths } from './rule-paths.js';

/** Something that can be written at a position. */
export interface Completion {
  /** What a list of completions shows. */
  readonly label: string;
  /** The YAML to write in place of the word. */
  readonly text: string;
  /** One sentence about it. */
  readonly description?: string;
}

/** What a policy and its server have, as far as it is known while the policy is written. */
export interface KnownNames {
  readonly concerns: readonly Pick<Concern, 'name' | 'description' | 'values' | 'valueDescriptions'>[];
  readonly catalog: ServerCatalog;
  /** The servers that the policy names, with the concerns of their own policies. */
  readonly servers?: readonly (Pick<KnownNames, 'concerns'> & {
    readonly key: string;
    readonly slug: string;
  })[];
  /** Other policy files, as the policy would name them. */
  readonly files?: readonly string[];
}

/** The completions at a position, and where the word begins that they replace. */
export interface Completions {
  readonly from: number;
  readonly items: readonly Completion[];
}

type Node = Readonly<Record<string, unknown>>;
type Steps = PositionInYaml['path'];

/**
 * Finds what can be written at a position of a policy: keys and choices of the schema, names of primitives that the
 * server lists, concerns and their values, operators and paths of rules. The text does not have to be valid.
 *
 * @param text the text of the policy file
 * @param offset the position
 * @param known the declared concerns, and the catalog of the server
 * @returns the completions, in the order in which they are declared
 * @example
 * completionsAt('settings:\n  unmapped: ', 22, { concerns: [], catalog: {} }).items; // show, hide
 */
export function completionsAt(text: string, offset: number, known: KnownNames): Completions {
  const position = positionInYaml(text, offset);
  if (position === undefined) return { from: offset, items: [] };
  const { path, writes, from, flow } = position;
  const keys = writes === 'key' ? keysAt(path, known, text, flow) : [];
  // After a dash, an item of a list can begin: a mapping or a value.
  const condition = text.slice(text.lastIndexOf('when', from), from);
  const values = writes === 'value' || path.at(-1) === 0 ? valuesAt(path, known, condition) : [];
  return { from, items: [...keys, ...values] };
}

function keysAt(path: Steps, known: KnownNames, text: string, flow: boolean): Completion[] {
  const schema = schemaAt(path);
  const own = Object.entries(membersOf(schema?.properties)).map(([key, value]) => {
    const { description, type } = membersOf(value);
    return completion(key, !flow && type === 'object' ? `${key}:` : `${key}: `, description);
  });
  const [section, kind] = path;
  if (isCondition(path))
    return Object.keys(OPERAND_COUNTS).map((name) => completion(name, `${toYamlScalar(name)}: `));
  if (section === 'servers' && path[2] === 'map') {
    const own = ownNames(path, known);
    const names = path.length === 3 ? own.concerns : concernValues(own, String(path[3]));
    return names.map((each) => ('label' in each ? { ...each, text: `${each.text}: ` } : keyOf(each)));
  }
  if (isMapping(path)) return known.concerns.map(keyOf);
  if (section === 'primitives' && path.length === 2) return primitives(String(kind), known, text);
  return own;
}

const keyOf = ({ name, description }: KnownNames['concerns'][number]): Completion =>
  completion(name, `${name}: `, description);

/** What the policy of a server of `servers` has. */
const ownNames = (path: Steps, { servers = [] }: KnownNames): Pick<KnownNames, 'concerns'> =>
  servers.find(({ key }) => key === path[1]) ?? { concerns: [] };

function valuesAt(path: Steps, known: KnownNames, condition: string): Completion[] {
  const schema = schemaAt(path);
  const key = path.findLast((step) => typeof step === 'string');
  if (isCondition(path)) {
    if (key === 'var') return rulePaths(known.concerns.map(({ name }) => name)).map(plain);
    return condition.includes('primitive.server') ? (known.servers ?? []).map(({ slug }) => plain(slug)) : [];
  }
  if (path[0] === 'servers') {
    if (path[2] === 'policy') return (known.files ?? []).map((file) => completion(file, toYamlScalar(file)));
    if (path[2] === 'concerns') return ownNames(path, known).concerns.map(({ name }) => plain(name));
    return path[2] === 'map' ? concernValues(known, String(path[3])) : [];
  }
  const parent = path.slice(0, path.indexOf(key ?? ''));
  if (isMapping(parent)) {
    const isPreset = path[0] === 'presets';
    return [...concernValues(known, String(key)), plain(isPreset ? 'null' : 'any')];
  }
  if (path[0] === 'concerns' && key === 'default') return concernValues(known, String(path[1]));
  const choices = schema?.enum ?? membersOf(schema?.items).enum;
  if (Array.isArray(choices)) return choices.map((choice) => plain(String(choice)));
  if (schema?.type === 'boolean') return [plain('true'), plain('false')];
  return schema?.const === undefined ? [] : [plain(String(schema.const))];
}

/** A word of the language, which needs no quotes. */
const plain = (text: string): Completion => completion(text, text);

export const completion = (label: string, text: string, description?: unknown): Completion => ({
  label,
  text,
  ...(typeof description === 'string' ? { description } : {}),
});

/** The `when` of `defaults-for` has patterns. */
const isCondition = (path: Steps): boolean => path.includes('when') && path[0] !== 'defaults-for';

/** Whether the keys at a path are concerns. */
function isMapping(path: Steps): boolean {
  const [section] = path;
  if (section === 'presets') return path.length === 2;
  if (section === 'assign') return path.length === 3 && path[2] === 'to';
  return (section === 'primitives' || section === 'patterns') && path.length === 3;
}

/** The primitives of a kind that no line of the text begins with yet. */
function primitives(kind: string, { catalog }: KnownNames, text: string): Completion[] {
  const found = KINDS.find((each) => each === kind);
  if (found === undefined) return [];
  const written = new Set(text.split('\n').map((line) => /^\s+(.+?)\s*:(?:\s|$)/.exec(line)?.[1]));
  return (catalog[found] ?? []).flatMap((primitive): Completion[] => {
    const name = identityOf(found, primitive);
    const key = toYamlScalar(name);
    if (written.has(key) || written.has(`"${name}"`)) return [];
    return [completion(name, `${key}: `, primitive.title)];
  });
}

export function concernValues({ concerns }: Pick<KnownNames, 'concerns'>, name: string): Completion[] {
  const concern = concerns.find((each) => each.name === name);
  if (concern === undefined || 'min' in concern.values) return [];
  const about = new Map(Object.entries(concern.valueDescriptions ?? {}));
  return concern.values.map((value) => completion(value, toYamlScalar(value), about.get(value)));
}

/**
 * @param path the keys above a part of a policy, and its own key
 * @returns what the schema says about the part; `undefined` if it says nothing
 * @example
 * descriptionAt(['settings', 'unmapped']); // 'Whether primitives that the policy does not map are shown ...'
 */
export function descriptionAt(path: Steps): string | undefined {
  const { description } = schemaAt(path) ?? {};
  return typeof description === 'string' ? description : undefined;
}

/** The part of a schema that describes a path; `undefined` if the path has no place in such a file. */
export function schemaAt(path: Steps, schema: Node = policySchema): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => {
    const next = step === 0 ? node?.items : (membersOf(node?.properties)[step] ?? node?.additionalProperties);
    return typeof next === 'object' && next !== null ? membersOf(next) : undefined;
  }, schema);
}
