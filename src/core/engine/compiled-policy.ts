/** The kinds of primitives that a policy maps, by their key in an MCP list result. */
export const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
export type Kind = (typeof KINDS)[number];

/** A concern's values: an ordered list of names, or a range of numbers. */
export type ConcernValues = readonly string[] | { readonly min: number; readonly max: number };
/** A value as policies and hosts write it: a name from a list, or a number from a range. */
export type ConcernValue = string | number;

/** A claim of a policy: its name, or a list of names that leads through objects. A name is never split at dots. */
export type ClaimPath = string | readonly string[];

export interface Concern {
  readonly name: string;
  readonly description?: string;
  readonly values: ConcernValues;
  /** What the values of a list mean, for the person who chooses one. Values without a description are left out. */
  readonly valueDescriptions?: { readonly [value: string]: string };
  readonly match: 'exact' | 'at-least' | 'at-most' | 'within';
  readonly multiple: boolean;
  readonly default?: ConcernValue;
  readonly setBy: 'host' | 'operator';
  /** Whether lists follow the preferences of a session. Without it, `filter`. */
  readonly lists?: 'filter' | 'stable';
  /** What a model may do with a concern of the host: nothing (the default), hide more, or replace the person's value. */
  readonly model?: 'none' | 'narrow' | 'free';
  readonly claim?: ClaimPath;
  /** Whether callers can get the scope: what only this concern hides is listed, and a call names the scope. */
  readonly obtainable?: boolean;
  /** What the claim contains for a value, if that is not the name of the value. */
  readonly claimValues?: { readonly [value: string]: readonly string[] };
}

export interface Settings {
  readonly unmapped: 'show' | 'hide';
  readonly defaults: 'aware' | 'always' | 'never';
  readonly invalid: 'error' | 'ignore' | 'clamp';
  readonly enforcement: 'advisory' | 'enforce' | 'shadow';
  readonly transparency: boolean;
  readonly pageSize?: number;
  /** Methods, and patterns of methods, that pass under `enforce` although nothing filters them. */
  readonly methods?: readonly string[];
  /** Extensions whose methods `groups/list` and `groups/get` begin with their name. */
  readonly groups?: readonly string[];
  /** Whether hosts may filter tools by name, in the URL and in headers, as other servers let them. */
  readonly nameFilters?: boolean;
  /** Whether lists follow the preferences of a session, for all concerns. Without it, `filter`. */
  readonly lists?: 'filter' | 'stable';
  /** Whether the gate adds a tool and prompts with which people switch preferences. Without it, `off`. */
  readonly panel?: 'off' | 'read-only' | 'narrow' | 'on';
  /** With what the names of this tool and these prompts begin. Without it, `concerns`. */
  readonly panelPrefix?: string;
  /** What happens under `enforce` to names of hidden primitives in definitions of visible ones. Without it, `redact`. */
  readonly texts?: 'redact' | 'keep';
  /** Which modern clients see tools that can only be called as tasks. Without it, `require-capability`. */
  readonly tasks?: 'require-capability' | 'show';
  /** What happens to primitives whose definition is not the pinned one. Without it, `hide` under `enforce`, else `warn`. */
  readonly changed?: 'show' | 'warn' | 'hide';
}

/** The digests of the definitions that a person reviewed, by name, URI or URI template. See `definitionDigest`. */
export type Pins = { readonly [K in Kind]: Readonly<Record<string, string>> };

/** What hosts get in place of the texts of a server, and hints that the server does not give. */
export interface Presentation {
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: { readonly [hint: string]: boolean };
}

/** Values that a primitive gets because of what the server says about it. */
export interface CompiledAssign {
  readonly when: unknown;
  readonly file: number;
  readonly line: number;
  readonly values: { readonly [concern: string]: CompiledValue };
  /** False if a primitive with only these values still counts as unmapped. */
  readonly maps?: false;
}

/** A rule that hides or shows primitives of some kinds. `when` is JSON Logic. */
export interface CompiledRulePart {
  readonly id: string;
  readonly effect: 'hide' | 'show';
  readonly kinds: readonly Kind[];
  readonly when: unknown;
  readonly reason?: string;
  readonly file: number;
  readonly line: number;
}

/** A preset whose values are the defaults of clients that name themselves so. */
export interface ClientDefaults {
  /** Patterns by what they are about, `client.name`, `client.title` or `client.version`. All must match. */
  readonly when: { readonly [path: string]: string };
  readonly preset: string;
}

/** What one entry or pattern says about one concern: the primitive's values, or `any` to remove a weaker value. */
export interface CompiledValue {
  readonly is: readonly ConcernValue[] | 'any';
  readonly line: number;
}

/** An entry (exact name, URI or URI template) or a pattern of a policy, and where it was written. */
export interface CompiledEntry {
  readonly name: string;
  readonly file: number;
  readonly line: number;
  readonly values: { readonly [concern: string]: CompiledValue };
}

/** What gives the only values of an argument. */
export interface CompiledBind {
  /** The argument, or a pattern of tools and an argument: `deploy*(project)`. */
  readonly name: string;
  /** A constant, or JSON Logic. */
  readonly from: unknown;
}

/** A checked policy as plain JSON. A Lambda bundle contains this instead of YAML. */
export interface CompiledPolicy {
  /** Of the form of this data: 1 was written by version 0.2.0 of this package. */
  readonly format: 1 | 2;
  readonly digest: string;
  /** What its author calls this version, for logs: often a commit. */
  readonly label?: string;
  readonly files: readonly string[];
  readonly concerns: readonly Concern[];
  readonly presets: {
    readonly [name: string]: { readonly [concern: string]: ConcernValue | readonly string[] | null };
  };
  readonly primitives: { readonly [K in Kind]: readonly CompiledEntry[] };
  readonly patterns: { readonly [K in Kind]: readonly CompiledEntry[] };
  readonly assign: readonly CompiledAssign[];
  readonly rules: readonly CompiledRulePart[];
  readonly defaultsFor?: readonly ClientDefaults[];
  readonly settings: Settings;
  readonly pins?: Pins;
  /** How tools are presented, by name. */
  readonly present?: { readonly [tool: string]: Presentation };
  /** The only values of arguments. If several parts bind one argument, values are left that all of them give. */
  readonly bind?: readonly CompiledBind[];
}
