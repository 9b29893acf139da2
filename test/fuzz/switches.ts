import { isListed, levelOf, type Plan, type Thing, type View, withLevel, without } from './world.js';

/** A request that may change the preferences of the session: of the panel, a form, or `updateConcerns`. */
export interface Switch {
  /** What it may set. A form can be read in two ways. */
  readonly targets: readonly View[];
  /** Whether it may show more: a prompt may, a page may not. */
  readonly by: 'page' | 'prompt' | 'form' | 'host';
  /** The tool that a page hides, in the place of a target. */
  readonly hides?: Thing;
  /** Whether it chooses a preset, which also replaces what was switched one by one. A form may. */
  readonly isPreset?: boolean;
}

/** The oracle: what a switch does under a plan. It shares no code with the product. */
function switched({ targets, by, hides, isPreset }: Switch, plan: Plan, before: View): readonly View[] {
  const { panel, mode } = plan;
  if (by === 'host') return targets;
  if (panel === 'off' || panel === 'read-only' || mode === 'shadow') return [before];
  // Only what is shown can be hidden.
  if (hides !== undefined) return [isListed(plan, hides, before) ? without(before, hides.identity) : before];
  const mayWiden = panel === 'on' && by !== 'page';
  const level = levelOf(before);
  return targets
    .filter((target) => mayWiden || level === undefined || levelOf(target) === level)
    .flatMap((target) => {
      const kept = withLevel(before, levelOf(target));
      if (!mayWiden || (by === 'prompt' && isPreset !== true)) return [kept];
      return by === 'form' ? [kept, target] : [target];
    });
}

interface Open {
  readonly change: Switch;
  readonly plans: ReadonlySet<Plan>;
}

/**
 * The preferences that a session may have. A switch takes effect at some time between its request and its answer, in any order
 * with others, so there can be several.
 */
export class SessionViews {
  private base: ReadonlySet<View>;
  private readonly open = new Set<Open>();
  private overlapped = false;
  possible: ReadonlySet<View>;

  constructor(first: View) {
    this.base = new Set([first]);
    this.possible = this.base;
  }

  /** A switch was requested. Returns what to call with its answer. */
  begin(change: Switch, plans: ReadonlySet<Plan>): (changed: boolean) => void {
    const own: Open = { change, plans };
    if (this.open.size > 0) this.overlapped = true;
    this.open.add(own);
    this.grow();
    return (changed) => {
      if (!this.open.delete(own)) return;
      if (!this.overlapped) {
        const reached = [...this.base].flatMap((view) => after(own, view));
        // One that changed nothing has no target that the policy allows.
        this.possible = new Set(changed && reached.length > 0 ? reached : this.base);
      }
      if (this.open.size > 0) return;
      this.base = this.possible;
      this.overlapped = false;
    };
  }

  /** The policy was replaced, so a switch may have another effect. */
  grow(): void {
    for (let size = -1; size !== this.possible.size; ) {
      size = this.possible.size;
      const reached = [...this.open].flatMap((each) =>
        [...this.possible].flatMap((view) => after(each, view)),
      );
      this.possible = new Set([...this.possible, ...reached]);
    }
  }
}

const after = ({ change, plans }: Open, view: View): readonly View[] =>
  [...plans].flatMap((plan) => switched(change, plan, view));
