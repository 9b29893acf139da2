/** One resource of a CloudFormation template. */
interface Resource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
}
export type Resources = Record<string, Resource>;

/** Requests that an API accepts before it answers 429. */
export interface Throttle {
  /** Requests per second. */
  readonly rate: number;
  /** Requests at once. */
  readonly burst: number;
}

/** What the API in front of a function needs, and what the framework has no setting for. */
export interface ApiOptions {
  readonly throttle: Throttle | undefined;
  readonly stage: string;
  /** Seconds. */
  readonly timeout: number;
}

/**
 * Adds to the resources of an API what the framework has no setting for: throttling of its stage and, for a REST API that
 * streams, the time that it waits for the function. The stage of a REST API becomes a resource of its own, because the stage
 * that a deployment makes cannot be changed, and a WAF can only be attached to a resource.
 *
 * @param resources the resources of the CloudFormation template
 * @param options throttling, and the function behind the API
 * @example
 * finishResources(template.Resources, { throttle, stage: 'dev', timeout: 900 });
 */
export function finishResources(resources: Resources, { throttle, stage, timeout }: ApiOptions): void {
  const limits = throttle && { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst };
  for (const [id, { Type: type, Properties: properties = {} }] of Object.entries(resources)) {
    if (type === 'AWS::ApiGateway::Method') {
      const integration = objectOf(properties.Integration);
      // An integration that streams can wait 15 minutes, but waits only 29 s if its timeout is not set.
      const { ResponseTransferMode: mode, TimeoutInMillis = timeout * 1000 } = integration;
      if (mode === 'STREAM') properties.Integration = { ...integration, TimeoutInMillis };
    }
    if (limits === undefined) continue;
    if (type === 'AWS::ApiGatewayV2::Stage')
      properties.DefaultRouteSettings = { ...objectOf(properties.DefaultRouteSettings), ...limits };
    if (type === 'AWS::ApiGateway::Deployment') {
      delete properties.StageName;
      const ownStage = {
        StageName: stage,
        RestApiId: properties.RestApiId,
        DeploymentId: { Ref: id },
        MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ...limits }],
      };
      resources.ApiGatewayStage = { Type: 'AWS::ApiGateway::Stage', Properties: ownStage };
    }
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' ? { ...value } : {};
