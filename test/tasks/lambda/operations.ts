import type { Operation, OperationUpdate } from '@aws-sdk/client-lambda';

/** Times are seconds, as on the wire. */
type Seconds = number;

/** An operation as Lambda's JSON has it: the type of the AWS SDK, with times as numbers. */
export type WireOperation = Omit<
  Operation,
  'StartTimestamp' | 'EndTimestamp' | 'StepDetails' | 'WaitDetails'
> & {
  StartTimestamp: Seconds;
  EndTimestamp?: Seconds;
  StepDetails?: Omit<NonNullable<Operation['StepDetails']>, 'NextAttemptTimestamp'> & {
    NextAttemptTimestamp?: Seconds;
  };
  WaitDetails?: { ScheduledEndTimestamp: Seconds };
};

/** The result of an update: the operation, and when Lambda has to look at it again. */
export interface Applied {
  readonly operation: WireOperation;
  readonly dueAt?: number;
}

const ENDS = { SUCCEED: 'SUCCEEDED', FAIL: 'FAILED', CANCEL: 'CANCELLED' } as const;

const hasEnd = (action: string | undefined): action is keyof typeof ENDS =>
  action !== undefined && Object.hasOwn(ENDS, action);

/**
 * Applies an update of a checkpoint to an operation.
 *
 * @param before the operation, if it has begun
 * @param update the update
 * @param context the current time in milliseconds; how many milliseconds a second takes; the id of a new callback
 */
export function applyUpdate(
  before: WireOperation | undefined,
  update: OperationUpdate,
  context: { readonly now: number; readonly second: number; readonly callbackId: string },
): Applied {
  const { now, second, callbackId } = context;
  const { Id, ParentId, Name, Type, SubType, Action, Payload, Error: error } = update;
  const ended = hasEnd(Action);
  const operation: WireOperation = {
    ...(before ?? { Id, ParentId, Name, Type, SubType, StartTimestamp: now / 1000 }),
    Status: ended ? ENDS[Action] : 'STARTED',
    ...(ended ? { EndTimestamp: now / 1000 } : {}),
  };
  switch (Type) {
    case 'STEP': {
      const Attempt = (before?.StepDetails?.Attempt ?? 0) + (Action === 'START' ? 1 : 0);
      operation.StepDetails = { Attempt, Result: Payload, Error: error };
      if (Action !== 'RETRY') return { operation };
      const dueAt = now + (update.StepOptions?.NextAttemptDelaySeconds ?? 1) * second;
      operation.Status = 'PENDING';
      operation.StepDetails.NextAttemptTimestamp = dueAt / 1000;
      return { operation, dueAt };
    }
    case 'WAIT': {
      if (Action !== 'START') return { operation };
      const dueAt = now + (update.WaitOptions?.WaitSeconds ?? 0) * second;
      operation.WaitDetails = { ScheduledEndTimestamp: dueAt / 1000 };
      return { operation, dueAt };
    }
    case 'CONTEXT':
      operation.ContextDetails = {
        Result: Payload,
        Error: error,
        ReplayChildren: update.ContextOptions?.ReplayChildren,
      };
      return { operation };
    case 'CALLBACK':
      operation.CallbackDetails ??= { CallbackId: callbackId };
      return { operation };
    default:
      return { operation };
  }
}

/** Completes an operation whose time has come: a wait ends, a failed step becomes ready for its next attempt. */
export function completeDue(operation: WireOperation, now: number): WireOperation {
  return operation.Type === 'WAIT'
    ? { ...operation, Status: 'SUCCEEDED', EndTimestamp: now / 1000 }
    : { ...operation, Status: 'READY' };
}
