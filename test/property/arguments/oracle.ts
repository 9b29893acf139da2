import { Ajv, type ValidateFunction } from 'ajv';
import jsonLogic, { type RulesLogic } from 'json-logic-js';
import { ARGUMENTS, EFFECTS, type Json, type PolicyDocument, type Rule, type Tool } from './generate.js';

/** Who calls, and what it prefers. */
export interface Situation {
  readonly claims: Json;
  readonly scopes: readonly string[];
  readonly effect?: string | undefined;
  readonly topic?: string | undefined;
  /** What a model chose for a concern with `model: narrow`: a use must be shown under both values. */
  readonly modelTopic?: string | undefined;
  /** The tools that the person switched on and off. */
  readonly on: readonly string[];
  readonly off: readonly string[];
}

/** What becomes of one call. */
export type Expected =
  | { readonly passes: true; readonly scopes: readonly string[]; readonly args: Json }
  | { readonly passes: false };

const REFUSED: Expected = { passes: false };

const USE = /^([^()]*)\(([^()=]+)(?:=(.*))?\)$/s;
type Values = PolicyDocument['primitives']['tools'][string];

interface NamedUse {
  readonly tool: string;
  readonly argument: string;
  readonly value: string | undefined;
  readonly isPattern: boolean;
  readonly values: Values;
}

const globMatches = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
};

const isPlain = (rest: string): boolean =>
  rest === '' || rest.split(/[./]/).every((word) => /^[A-Za-z0-9_-]+$/.test(word));

const validators = new Map<string, ValidateFunction>();

export function isValid(schema: object, value: unknown): boolean {
  const key = JSON.stringify(schema);
  const known = validators.get(key) ?? new Ajv({ strict: false, logger: false }).compile(schema);
  validators.set(key, known);
  return known(value) === true;
}

const resolved = (tool: Tool, property: Json): Json => {
  const ref = property.$ref;
  return typeof ref === 'string' ? (tool.inputSchema.$defs?.[ref.split('/').at(-1) ?? ''] ?? {}) : property;
};

/** The values of a closed argument. */
function valuesOf(schema: Json): readonly unknown[] {
  if (schema.type === 'boolean') return [true, false];
  if (Array.isArray(schema.enum)) return schema.enum;
  const parts = [schema.oneOf ?? schema.anyOf].flat() as readonly Json[];
  return parts.flatMap((part) =>
    'const' in part ? [part.const] : part.type === 'null' ? [null] : valuesOf(part),
  );
}

type ArgumentKind = 'closed' | 'text' | 'number' | 'other';

/** What an argument is, said once more. */
function kindOf(tool: Tool, property: Json): ArgumentKind {
  const schema = resolved(tool, property);
  if (schema.enum !== undefined || schema.oneOf !== undefined || schema.anyOf !== undefined) return 'closed';
  const [type, ...more] = [schema.type].flat().filter((each) => each !== 'null');
  if (type === 'boolean') return 'closed';
  if (more.length > 0) return 'other';
  if (type === 'string') return schema.pattern === undefined ? 'text' : 'other';
  return type === 'number' || type === 'integer' ? 'number' : 'other';
}

const textsIn = (json: unknown): string => JSON.stringify(json);
const reads = ({ when }: Rule, argument: string): boolean =>
  textsIn(when).includes(`"arguments.${argument}"`);
const argumentOf = (rule: Rule): string | undefined => ARGUMENTS.find((each) => reads(rule, each));

/** A rule whose condition begins with the name of another tool is not about this one. */
const isAboutTool = ({ when }: Rule, tool: Tool): boolean =>
  ![when.and]
    .flat()
    .some(
      (each) =>
        each !== undefined &&
        textsIn(each).includes('primitive.name') &&
        !holds(each, { primitive: { name: tool.name } }),
    );

/** What JSON Logic says, but `in` does not search texts, as the policy language has it. */
const holds = (when: unknown, data: Json): boolean => jsonLogic.apply(when as RulesLogic, data) === true;

/** Decides about calls one by one. It shares no code with the product. */
export class Oracle {
  private readonly uses: readonly NamedUse[];
  private readonly rules: readonly Rule[];

  constructor(
    private readonly policy: PolicyDocument,
    private readonly tool: Tool,
  ) {
    const named = (['patterns', 'primitives'] as const).flatMap((section) =>
      Object.entries(policy[section].tools).flatMap(([name, values]): NamedUse[] => {
        const [, of, argument, value] = USE.exec(name) ?? [];
        const isPattern = section === 'patterns';
        if (of === undefined || argument === undefined) return [];
        return [{ tool: of, argument, value, isPattern, values }];
      }),
    );
    this.uses = named.filter((use) => this.fits(use, use.tool, tool.name));
    this.rules = policy.rules.filter((rule) => argumentOf(rule) === undefined || isAboutTool(rule, tool));
  }

  private fits({ isPattern }: NamedUse, pattern: string, text: string): boolean {
    return isPattern ? globMatches(pattern, text) : pattern === text;
  }

  /** The arguments that the policy is about. */
  get about(): readonly string[] {
    return Object.keys(this.tool.inputSchema.properties).filter(
      (name) =>
        this.uses.some((use) => this.fits(use, use.argument, name)) ||
        this.bindsOf(name).length > 0 ||
        this.rules.some((rule) => reads(rule, name)),
    );
  }

  call(args: Json, situation: Situation): Expected {
    const { properties, required = [] } = this.tool.inputSchema;
    const { about } = this;
    const named = new Set([
      ...ARGUMENTS.filter((each) => this.bindsOf(each).length > 0),
      ...this.uses.map(({ argument }) => argument),
      ...this.rules.flatMap((rule) => argumentOf(rule) ?? []),
    ]);
    for (const name of Object.keys(args)) {
      if (!Object.hasOwn(properties, name) && (about.length > 0 || named.has(name.toLowerCase())))
        return REFUSED;
    }
    const scopes = new Set<string>();
    const sent = new Map(Object.entries(args));
    for (const name of about) {
      const property = properties[name] ?? {};
      const kind = kindOf(this.tool, property);
      const allowed = this.allowed(name, kind, property, situation);
      if (allowed !== undefined && !sent.has(name)) {
        if (allowed.length !== 1) return REFUSED;
        sent.set(name, allowed[0]);
      }
      const isSent = sent.has(name);
      if (!isSent && required.includes(name)) return REFUSED;
      if (allowed !== undefined && !allowed.includes(sent.get(name))) return REFUSED;
      const made = isSent ? [sent.get(name)] : [undefined, ...this.defaultOf(property)];
      for (const value of made) {
        if (value !== undefined && isSent && !this.isDecidable(name, kind, property, value)) return REFUSED;
        const use = this.use(name, kind, value, situation);
        if (use === undefined) return REFUSED;
        for (const scope of use) scopes.add(scope);
      }
    }
    return { passes: true, scopes: [...scopes].sort(), args: Object.fromEntries(sent) };
  }

  private bindsOf(name: string): readonly unknown[] {
    return Object.entries(this.policy.bind ?? {}).flatMap(([key, from]) => {
      const [, of = '*', argument = key] = USE.exec(key) ?? [];
      return globMatches(of, this.tool.name) && argument === name ? [from] : [];
    });
  }

  /** The values that the policy binds an argument to: those that all parts give that bind it. */
  private allowed(
    name: string,
    kind: ArgumentKind,
    property: Json,
    { claims }: Situation,
  ): readonly unknown[] | undefined {
    const lists = this.bindsOf(name).map((from) =>
      [jsonLogic.apply(from as RulesLogic, { claims })].flat().flatMap((value) => {
        if (kind === 'other' || value === null || value === undefined) return [];
        const isNumber = kind === 'number' && typeof value === 'string' && String(Number(value)) === value;
        const plain = isNumber
          ? Number(value)
          : kind === 'text' && typeof value === 'number'
            ? String(value)
            : value;
        return isValid({ ...property, $defs: this.tool.inputSchema.$defs ?? {} }, plain) ? [plain] : [];
      }),
    );
    const [first] = lists;
    return first && [...new Set<unknown>(first)].filter((each) => lists.every((list) => list.includes(each)));
  }

  /** Whether a call may send a value of one argument, or leave it out. */
  takes(name: string, value: unknown, situation: Situation): boolean {
    const { properties } = this.tool.inputSchema;
    const only = {
      ...this.tool,
      inputSchema: { ...this.tool.inputSchema, properties: { [name]: properties[name] ?? {} } },
    };
    const required = (only.inputSchema.required ?? []).filter((each) => each === name);
    const oracle = new Oracle(this.policy, { ...only, inputSchema: { ...only.inputSchema, required } });
    return oracle.call(value === undefined ? {} : { [name]: value }, situation).passes;
  }

  /** Whether the policy gives a hint to each use that is left of a closed argument of which something is hidden. */
  hint(situation: Situation, hint: string, harmless: boolean): boolean {
    const { properties, required = [] } = this.tool.inputSchema;
    return this.about.some((name) => {
      const property = properties[name] ?? {};
      if (kindOf(this.tool, property) !== 'closed') return false;
      const all = valuesOf(resolved(this.tool, property));
      const left: unknown[] = all.filter((value) => this.takes(name, value, situation));
      if (left.length === 0 || left.length === all.length) return false;
      if (!required.includes(name) && this.takes(name, undefined, situation)) left.push(undefined);
      return left.every((value) => {
        const use = `${this.tool.name}(${name}=${value === undefined ? '' : String(value)})`;
        const presented = this.policy.present?.tools[use] as { annotations?: Json } | undefined;
        return presented?.annotations?.[hint] === harmless;
      });
    });
  }

  private defaultOf(property: Json): readonly unknown[] {
    const value = property.default ?? resolved(this.tool, property).default;
    if (value === undefined || value === null || kindOf(this.tool, property) === 'other') return [];
    return isValid({ ...property, $defs: this.tool.inputSchema.$defs ?? {} }, value) ? [value] : [];
  }

  private valued(name: string): readonly NamedUse[] {
    return this.uses.filter((use) => use.value !== undefined && this.fits(use, use.argument, name));
  }

  private isDecidable(name: string, kind: ArgumentKind, property: Json, value: unknown): boolean {
    const valued = this.valued(name);
    const isRead = this.rules.some((rule) => reads(rule, name));
    if (kind === 'other') return valued.length === 0 && !isRead && this.bindsOf(name).length === 0;
    const isOddPattern = (pattern: string): boolean =>
      pattern.includes('*') && !/^(?:\*|[^*]+\*)$/.test(pattern);
    if (kind === 'text' && valued.some((use) => use.isPattern && isOddPattern(use.value ?? ''))) return false;
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
    return isValid({ ...property, $defs: this.tool.inputSchema.$defs ?? {} }, value);
  }

  /** @returns the scopes that one use takes and the caller lacks; `undefined` if it is hidden */
  private use(
    name: string,
    kind: ArgumentKind,
    value: unknown,
    situation: Situation,
  ): readonly string[] | undefined {
    const valued = this.valued(name);
    const matching =
      kind === 'other' && value !== undefined ? [] : valued.filter((use) => this.isOf(use, kind, value));
    const isMapped = valued.length === 0 || matching.length > 0;
    const given = this.uses.filter((use) => use.value === undefined && this.fits(use, use.argument, name));
    const scopes = this.shown(name, value, matching, isMapped, situation);
    if (scopes === undefined || value === undefined || given.length === 0) return scopes;
    const ofAny = this.shown(undefined, undefined, given, true, situation);
    return ofAny === undefined ? undefined : [...scopes, ...ofAny];
  }

  private isOf(use: NamedUse, kind: ArgumentKind, value: unknown): boolean {
    const pattern = use.value ?? '';
    const text = value === undefined ? '' : String(value);
    if (!use.isPattern || !pattern.includes('*')) return pattern === text;
    if (pattern === '*') return true;
    if (kind === 'closed') return globMatches(pattern, text);
    if (kind !== 'text' || typeof value !== 'string' || !value.startsWith(pattern.slice(0, -1))) return false;
    return isPlain(value.slice(pattern.length - 1));
  }

  private shown(
    name: string | undefined,
    value: unknown,
    parts: readonly NamedUse[],
    isMapped: boolean,
    situation: Situation,
  ): readonly string[] | undefined {
    if (situation.off.includes(this.tool.name)) return undefined;
    const topics =
      situation.modelTopic === undefined ? [situation.topic] : [situation.topic, situation.modelTopic];
    const values: Record<string, readonly string[] | undefined> = {};
    for (const part of parts)
      for (const [concern, each] of Object.entries(part.values))
        values[concern] = each === 'any' ? undefined : [each].flat();
    const isShown = topics.every((topic) =>
      this.isShown(name, value, values, isMapped, { ...situation, topic }),
    );
    if (!isShown) return undefined;
    const reach = values.reach;
    if (reach === undefined || reach.some((each) => situation.scopes.includes(each))) return [];
    return reach.slice(0, 1);
  }

  private isShown(
    name: string | undefined,
    value: unknown,
    values: Readonly<Record<string, readonly string[] | undefined>>,
    isMapped: boolean,
    situation: Situation,
  ): boolean {
    const { claims, effect, topic } = situation;
    const byDefault = (this.policy.concerns.stage as { default?: string }).default;
    const stage = claims.stage === undefined ? byDefault : claims.stage;
    if (values.stage !== undefined && !values.stage.some((each) => each === stage)) return false;
    const data = {
      arguments: value === undefined || name === undefined ? {} : { [name]: value },
      primitive: { name: this.tool.name },
      claims,
      concerns: { ...(effect === undefined ? {} : { effect }), ...(topic === undefined ? {} : { topic }) },
    };
    for (const rule of this.rules)
      if (rule.hide !== undefined && name !== undefined && reads(rule, name) && hides(rule.when, value, data))
        return false;
    if (this.rules.some((rule) => rule.show !== undefined && shows(rule.when, data))) return true;
    // What the person switched on is hidden by no preference.
    const isOn = situation.on.includes(this.tool.name);
    if (!isOn && values.effect !== undefined && effect !== undefined) {
      const most = (EFFECTS as readonly string[]).indexOf(effect);
      if (!values.effect.some((each) => (EFFECTS as readonly string[]).indexOf(each) <= most)) return false;
    }
    if (!isOn && values.topic !== undefined && topic !== undefined && !values.topic.includes(topic))
      return false;
    return isMapped || this.policy.settings.unmapped !== 'hide';
  }
}

/** A condition of a show rule that reads a claim which the caller does not have is false. */
const shows = (when: Json, data: Json): boolean => holds(when, data);

/**
 * Whether a hide rule applies. What a caller lacks, and what a comparison of numbers cannot answer, hides: each part of a condition is
 * replaced by what hides most.
 */
function hides(when: unknown, value: unknown, data: Json, isNegated = false): boolean {
  const [operator = '', operand] = Object.entries(when as Json)[0] ?? [];
  const operands = [operand].flat();
  if (operator === 'and') return operands.every((each) => hides(each, value, data, isNegated));
  if (operator === 'or') return operands.some((each) => hides(each, value, data, isNegated));
  if (operator === '!') return !hides(operands[0], value, data, !isNegated);
  const isText = textsIn(when);
  const claim = /"claims\.(\w+)"/.exec(isText)?.[1];
  const most = !isNegated;
  if (claim !== undefined) {
    const found = (data.claims as Json)[claim];
    if (found === undefined || found === null || found === '') return most;
    if (operator === 'in' && !Array.isArray(found)) return most;
    if (/^[<>]/.test(operator) && typeof found !== 'number') return most;
    if (operator === '===' && typeof found === 'object') return most;
  }
  const isRead = isText.includes('"arguments.');
  if (isRead && /^[<>]/.test(operator) && value !== undefined && typeof value !== 'number') return most;
  if (operator === 'in') {
    const [member, list] = operands.map((each) => jsonLogic.apply(each as RulesLogic, data));
    return Array.isArray(list) && list.includes(member ?? undefined);
  }
  return holds(when, data);
}
