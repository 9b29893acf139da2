/** One resource of a CloudFormation template. */
interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}
export type Resources = Readonly<Record<string, Resource>>;

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
 * @returns the resources that change or are new
 * @example
 * Object.assign(template.Resources, finishResources(template.Resources, { throttle, stage: 'dev', timeout: 900 }));
 */
export function finishResources(resources: Resources, { throttle, stage, timeout }: ApiOptions): Resources {
  const limits = throttle && { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst };
  const changed = Object.entries(resources).flatMap(([id, resource]): [string, Resource][] => {
    const { Type: type, Properties: properties = {} } = resource;
    const withProperties = (more: object): [string, Resource] => [
      id,
      { ...resource, Properties: { ...properties, ...more } },
    ];
    if (type === 'AWS::ApiGatewayV2::Stage' && limits !== undefined) {
      const given = objectOf(properties.DefaultRouteSettings);
      return [withProperties({ DefaultRouteSettings: { ...given, ...limits } })];
    }
    if (type === 'AWS::ApiGateway::Method') {
      const { TimeoutInMillis: waits = timeout * 1000, ...integration } = objectOf(properties.Integration);
      // An integration that streams can wait 15 minutes, but waits only 29 s if its timeout is not set.
      if (integration.ResponseTransferMode !== 'STREAM') return [];
      return [withProperties({ Integration: { ...integration, TimeoutInMillis: waits } })];
    }
    if (type === 'AWS::ApiGateway::Deployment' && limits !== undefined) {
      const { StageName: _, ...rest } = properties;
      const ownStage = {
        StageName: stage,
        RestApiId: rest.RestApiId,
        DeploymentId: { Ref: id },
        MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ...limits }],
      };
      return [
        [id, { ...resource, Properties: rest }],
        ['ApiGatewayStage', { Type: 'AWS::ApiGateway::Stage', Properties: ownStage }],
      ];
    }
    return [];
  });
  return Object.fromEntries(changed);
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' ? { ...value } : {};
