import {
  GetDurableExecutionCommand,
  InvokeCommand,
  LambdaClient,
  SendDurableExecutionCallbackSuccessCommand,
  StopDurableExecutionCommand,
} from '@aws-sdk/client-lambda';

export {
  GetDurableExecutionCommand,
  InvokeCommand,
  SendDurableExecutionCallbackSuccessCommand,
  StopDurableExecutionCommand,
};

/**
 * Creates the engine's default client. The first call of the engine imports this module, so that lists do not load the
 * AWS client. An attempt without an answer after two seconds is given up, because a socket that was frozen with its
 * Lambda environment never answers.
 */
export function createClient(): LambdaClient {
  return new LambdaClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true },
  });
}
