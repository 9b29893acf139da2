import { isAllowed, isKnownByEntry, isListed, type Plan, THINGS, type Thing, type View } from './world.js';

const PAGES = THINGS.filter(({ identity }) => identity.startsWith('ui://'));

/** The answer to a list request. */
interface ListAnswer {
  /** Everything that the server has. */
  readonly things: readonly Thing[];
  /** The kind of the list. */
  readonly list: string;
  readonly text: string;
}

/** The oracle: whether a list shows exactly what it must under a plan and a preference. */
export function listFits({ things, list, text }: ListAnswer, plan: Plan, view: View): boolean {
  const isExact = things.every(
    (each) => text.includes(each.secret) === (each.kind === list && isListed(plan, each, view)),
  );
  if (!isExact || namesHidden({ list, text }, plan, (each) => !isAllowed(plan, each, view))) return false;
  if (list !== 'tools') return true;
  const isOfServer = things.some(({ identity, secret }) => identity === 'concerns' && text.includes(secret));
  const hasOwn = text.includes('"name":"concerns"') === (offersTool(plan, text) || isOfServer);
  return (
    hasOwn &&
    PAGES.every((page) => !text.includes(`esourceUri":"${page.identity}"`) || isAllowed(plan, page, view))
  );
}

/** The gate's tool is offered where it can change something, and nothing is kept for modern requests, or if it only tells. */
function offersTool({ panel, mode }: Plan, text: string): boolean {
  const onlyTells = panel === 'read-only' || mode === 'shadow';
  return panel !== 'off' && (onlyTells || !text.includes('"resultType"'));
}

/** Whether a definition of a list, or its `_meta`, names what is hidden and in this list, or in an entry of the policy. */
export const namesHidden = (
  { list, text }: Omit<ListAnswer, 'things'>,
  plan: Plan,
  isHidden: (each: Thing) => boolean,
): boolean =>
  THINGS.some(
    (each) =>
      (each.kind === list || isKnownByEntry(plan, each)) && isHidden(each) && text.includes(each.identity),
  );
