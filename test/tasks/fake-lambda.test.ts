import {
  CheckpointDurableExecutionCommand,
  GetDurableExecutionCommand,
  GetDurableExecutionStateCommand,
  InvokeCommand,
  type LambdaClient,
  type OperationUpdate,
  SendDurableExecutionCallbackSuccessCommand,
  StopDurableExecutionCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import type { Crash, Invocation } from './lambda/executions.js';
import { type FakeLambda, startFakeLambda } from './lambda/server.js';
import { FUNCTION_ARN, lambdaClient } from './worlds.js';

interface InvocationEvent {
  readonly DurableExecutionArn: string;
  readonly CheckpointToken: string;
  readonly UpdatedOperationIds: readonly string[];
}

let lambda: FakeLambda;
afterEach(() => lambda.close());

/** Starts a fake whose invocations a test answers by hand. */
async function start(crash?: () => Crash) {
  const events: InvocationEvent[] = [];
  const ends: ((answer: unknown) => void)[] = [];
  const waiting: (() => void)[] = [];
  lambda = await startFakeLambda({
    second: 5,
    ...(crash === undefined ? {} : { crash }),
    invoke: (event): Invocation => {
      events.push(event as InvocationEvent);
      let end: (answer: unknown) => void = () => {};
      const done = new Promise<unknown>((resolve) => {
        end = resolve;
      });
      ends.push(end);
      for (const wake of waiting.splice(0)) wake();
      return { done, kill: () => end(undefined) };
    },
  });
  const client = lambdaClient(lambda.endpoint);
  const invocation = async (index: number): Promise<InvocationEvent> => {
    for (;;) {
      const event = events[index];
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { client, events, invocation, end: (index: number, answer: unknown) => ends[index]?.(answer) };
}

const invoke = (client: LambdaClient, payload = '{"a":1}', name = 'task-1') =>
  client.send(
    new InvokeCommand({
      FunctionName: FUNCTION_ARN,
      InvocationType: 'Event',
      DurableExecutionName: name,
      Payload: payload,
    }),
  );
const checkpoint = (
  client: LambdaClient,
  event: InvocationEvent,
  token: string,
  ...Updates: OperationUpdate[]
) =>
  client.send(
    new CheckpointDurableExecutionCommand({
      DurableExecutionArn: event.DurableExecutionArn,
      CheckpointToken: token,
      Updates,
    }),
  );
const PENDING = { Status: 'PENDING' };

describe('the fake of Lambda, called by the client of the AWS SDK', () => {
  it('starts one execution for each name, and refuses another payload', async () => {
    const { client, events } = await start();
    const first = await invoke(client);
    expect(first.StatusCode).toBe(202);
    expect((await invoke(client)).DurableExecutionArn).toBe(first.DurableExecutionArn);
    await expect(invoke(client, '{"a":2}')).rejects.toMatchObject({
      name: 'DurableExecutionAlreadyStartedException',
    });
    await invoke(client, '{"a":2}', 'task-2');
    expect(events).toHaveLength(2);
    const state = await client.send(
      new GetDurableExecutionStateCommand({
        DurableExecutionArn: first.DurableExecutionArn,
        CheckpointToken: 'any',
      }),
    );
    expect(state.Operations).toMatchObject([
      { Type: 'EXECUTION', ExecutionDetails: { InputPayload: '{"a":1}' } },
    ]);
  });

  it('keeps steps, and accepts only the current token', async () => {
    const { client, invocation } = await start();
    await invoke(client);
    const event = await invocation(0);
    const update: OperationUpdate = { Id: '1', Type: 'STEP', Name: 'a', Action: 'SUCCEED', Payload: '7' };
    const answer = await checkpoint(client, event, event.CheckpointToken, update);
    expect(answer.NewExecutionState?.Operations).toMatchObject([
      { Id: '1', Name: 'a', Status: 'SUCCEEDED', StepDetails: { Result: '7' } },
    ]);
    await expect(checkpoint(client, event, event.CheckpointToken, update)).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
    });
    await checkpoint(client, event, answer.CheckpointToken ?? '', { ...update, Id: '2' });
    expect(lambda.executions.counts).toMatchObject({ checkpoints: 2, updates: 2 });
  });

  it('invokes again when a wait ends, and when a failed step is ready', async () => {
    const { client, invocation, end } = await start();
    await invoke(client);
    const first = await invocation(0);
    const wait: OperationUpdate = { Id: '1', Type: 'WAIT', Action: 'START', WaitOptions: { WaitSeconds: 2 } };
    await checkpoint(client, first, first.CheckpointToken, wait);
    end(0, PENDING);
    const second = await invocation(1);
    expect(second.UpdatedOperationIds).toEqual(['1']);
    const retry: OperationUpdate = {
      Id: '2',
      Type: 'STEP',
      Action: 'RETRY',
      StepOptions: { NextAttemptDelaySeconds: 2 },
    };
    await checkpoint(client, second, second.CheckpointToken, retry);
    end(1, PENDING);
    const third = await invocation(2);
    expect(third.UpdatedOperationIds).toEqual(['2']);
    expect(lambda.executions.find('task-1')?.operations.get('1')).toMatchObject({ Status: 'SUCCEEDED' });
    expect(lambda.executions.find('task-1')?.operations.get('2')).toMatchObject({ Status: 'READY' });
  });

  it('takes one answer for each callback, also during an invocation', async () => {
    const { client, invocation, end } = await start();
    await invoke(client);
    const event = await invocation(0);
    const created = await checkpoint(client, event, event.CheckpointToken, {
      Id: '1',
      Type: 'CALLBACK',
      Action: 'START',
    });
    const CallbackId = created.NewExecutionState?.Operations?.[0]?.CallbackDetails?.CallbackId;
    const succeed = () =>
      client.send(
        new SendDurableExecutionCallbackSuccessCommand({ CallbackId, Result: Buffer.from('"Ann"') }),
      );
    await succeed();
    await expect(succeed()).rejects.toMatchObject({ name: 'CallbackTimeoutException' });
    end(0, PENDING);
    expect((await invocation(1)).UpdatedOperationIds).toEqual(['1']);
    expect(lambda.executions.find('task-1')?.operations.get('1')).toMatchObject({
      CallbackDetails: { Result: '"Ann"' },
    });
  });

  it('reports how an execution ended, and refuses checkpoints after a stop', async () => {
    const { client, invocation, end } = await start();
    const read = async (DurableExecutionArn: string | undefined) =>
      client.send(new GetDurableExecutionCommand({ DurableExecutionArn }));
    const { DurableExecutionArn } = await invoke(client);
    expect(await read(DurableExecutionArn)).toMatchObject({ Status: 'RUNNING' });
    end(0, { Status: 'SUCCEEDED', Result: '"ok"' });
    const other = await invoke(client, '{}', 'task-2');
    await invocation(1);
    end(1, { Status: 'FAILED', Error: { ErrorType: 'X', ErrorMessage: 'y' } });
    const third = await invoke(client, '{}', 'task-3');
    const event = await invocation(2);
    await client.send(new StopDurableExecutionCommand({ DurableExecutionArn: third.DurableExecutionArn }));
    expect(await read(DurableExecutionArn)).toMatchObject({ Status: 'SUCCEEDED', Result: '"ok"' });
    expect(await read(other.DurableExecutionArn)).toMatchObject({
      Status: 'FAILED',
      Error: { ErrorType: 'X', ErrorMessage: 'y' },
    });
    expect(await read(third.DurableExecutionArn)).toMatchObject({ Status: 'STOPPED' });
    await expect(checkpoint(client, event, event.CheckpointToken)).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
    });
    await expect(read('arn:none')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('kills a process %s its checkpoint is kept, and invokes again', async (crash, kept) => {
    let crashes = 0;
    const { client, invocation } = await start(() => (crashes++ === 0 ? crash : undefined));
    await invoke(client);
    const event = await invocation(0);
    const update: OperationUpdate = { Id: '1', Type: 'STEP', Action: 'SUCCEED', Payload: '7' };
    // The client of a dead process gets no answer. Its second attempt has an old token, or comes too late.
    await expect(checkpoint(client, event, event.CheckpointToken, update)).rejects.toThrow();
    await invocation(1);
    expect(lambda.executions.counts).toMatchObject({ invocations: 2, deaths: 1 });
    if (kept === 1) expect(lambda.executions.find('task-1')?.operations.has('1')).toBe(true);
  });
});
