import type { Kind } from '../../engine/policy.js';

/** A value as the policy writes it. */
export type PanelValue = string | number;

/** Preferences by concern; `null` means no value. */
export type PanelPreferences = Readonly<Record<string, PanelValue | readonly PanelValue[] | null>>;

/** How many tools a configuration shows, and the tokens of their definitions. */
export interface PanelCount {
  readonly tools: number;
  readonly tokens: number;
}

/** What a person can choose. */
interface PanelChoice extends PanelCount {
  /** Set if it would show more, on a page that can only show less. */
  readonly widens?: true;
}

/** One value that a person can choose, and what the list would be with it; `null` means any value. */
export interface PanelOption extends PanelChoice {
  readonly value: PanelValue | null;
  readonly description?: string;
}

/** One concern, the values in effect, and the values to choose from. */
export interface PanelConcern {
  readonly name: string;
  readonly description?: string;
  readonly match: 'exact' | 'at-least' | 'at-most' | 'within';
  readonly multiple: boolean;
  readonly setBy: 'host' | 'operator';
  readonly inEffect: readonly PanelValue[];
  /** Where the value in effect comes from, for example `session` or `url preset safe`. */
  readonly origin?: string;
  /** The values that a model has set. They apply beside `inEffect`, or are `inEffect` if `origin` is `model`. */
  readonly model?: readonly PanelValue[];
  /** The tools that a model added although this concern hides them. */
  readonly added?: readonly string[];
  /** For a concern with a list of values that the host sets. */
  readonly options?: readonly PanelOption[];
  /** For a concern with a range of numbers. */
  readonly range?: { readonly min: number; readonly max: number };
  /** The part of the range that can be chosen on a page that can only show less. */
  readonly reach?: { readonly min: number; readonly max: number };
}

/** One preset, and what the list would be with it. */
export interface PanelPreset extends PanelChoice {
  readonly name: string;
  readonly preferences: PanelPreferences;
  /** Whether the values in effect are exactly the values of the preset. */
  readonly active: boolean;
}

/** Why a primitive is shown or hidden, without the places in the policy's files. */
export type PanelReason =
  | { readonly code: 'fits' | 'unmapped' | 'definition' | 'person' | 'argument' }
  | {
      readonly code: 'concern-mismatch';
      readonly concern: string;
      readonly preferred: readonly PanelValue[];
      readonly actual: readonly PanelValue[];
      /** Set if a model chose the preferred value. */
      readonly origin?: 'model';
    }
  | { readonly code: 'rule'; readonly rule: string; readonly reason?: string };

/** What decides about primitives with equal values: so a page can tell at once what a change of preferences shows. */
export interface PanelClass {
  /** Set if no preference changes the decision. What is always hidden, a person cannot show by itself either. */
  readonly always?: 'shown' | 'hidden';
  /**
   * By concern that the host sets: the values with which it is shown; of a range, pairs of a lowest and a highest value. A
   * concern for which it has no value fits always.
   */
  readonly fits: Readonly<Record<string, readonly PanelValue[]>>;
}

/** One primitive that the host's preferences can show. */
export interface PanelItem {
  readonly kind: Kind;
  readonly name: string;
  readonly title?: string;
  /** The first line of the description. */
  readonly description?: string;
  readonly tokens: number;
  readonly shown: boolean;
  /** What is left of its arguments, of that which preferences can show: a text for each argument of which something is hidden. */
  readonly left?: readonly string[];
  /** Its index in `classes`. */
  readonly of: number;
  /** Which of several servers it belongs to. */
  readonly server?: string;
  /** Set if the person switched this tool by itself. */
  readonly alone?: true;
  /** Set if its definition is not the pinned one. */
  readonly definition?: 'changed' | 'new';
  readonly reason: PanelReason;
  /** The smallest change of preferences that reverses the decision. Only for hidden primitives. */
  readonly change?: PanelPreferences;
  /** How many tools are shown after that change. */
  readonly after?: number;
}

/** A change that a program asks for. It would show more, so only a person at the page of `serve` can make it. */
export interface PanelProposal {
  readonly id: string;
  readonly changes: readonly {
    readonly concern: string;
    readonly from: readonly PanelValue[];
    readonly to: readonly PanelValue[];
  }[];
  /** How many tools it would show that are hidden now, the names of the first, and how many prompts and resources. */
  readonly tools: number;
  readonly names: readonly string[];
  readonly others: number;
}

/** A client that is connected to this server. */
export interface PanelSession {
  readonly id: string;
  readonly client: string;
  readonly version?: string;
  /** How it is connected. */
  readonly via: 'http' | 'stdio';
  /** Whether it has listed again since the last change; `null` if nothing has changed yet. */
  readonly relisted: boolean | null;
  readonly proposal?: PanelProposal;
}

/**
 * Everything that a page shows: the same document from `serve`, from the gate (an MCP App), and from the engine in the
 * browser.
 */
export interface PanelState {
  readonly format: 1;
  /** Increases with each document of a process, so that a page can ignore an older one that arrives late. */
  readonly revision: number;
  readonly server: { readonly name: string; readonly version?: string };
  /** With stable lists, what is hidden stays in the lists of the host, and cannot be called. */
  readonly policy: { readonly enforcement: string; readonly lists?: 'stable' };
  readonly session: string;
  readonly sessions: readonly PanelSession[];
  readonly concerns: readonly PanelConcern[];
  readonly presets: readonly PanelPreset[];
  readonly shown: PanelCount;
  /** What is shown without any preference. */
  readonly everything: PanelChoice;
  /** What some preference can show. */
  readonly total: PanelCount;
  readonly items: readonly PanelItem[];
  readonly classes: readonly PanelClass[];
  /** Set if rules or uses of tools depend on preferences: then only a new document tells what a change shows. */
  readonly rulesDecide?: true;
  /** How many primitives no preference of the host can show. Their names are not in the document. */
  readonly withheld: number;
  /** How to change preferences if this page cannot. */
  readonly readOnly?: string;
  /** How to show more if this page can only show less. */
  readonly onlyNarrows?: string;
  readonly warnings: readonly string[];
  /** How many of all tools were never called since a day, where calls are kept. */
  readonly uncalled?: { readonly tools: number; readonly since: string };
  /** Which of several servers are missing, which of their definitions are left out, and why: sentences that `warnings` has too. */
  readonly missing?: readonly string[];
}
