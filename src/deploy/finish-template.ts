/** One resource of a CloudFormation template. */
interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: unknown;
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
  const changed = Object.entries(resources).flatMap(([id, resource]): [string, Resource][] => {
    if (resource.Type === 'AWS::ApiGatewayV2::Stage' && throttle !== undefined) {
      return [[id, withProperties(resource, { DefaultRouteSettings: routeSettings(resource, throttle) })]];
    }
    if (resource.Type === 'AWS::ApiGateway::Method') return [[id, waitingMethod(resource, timeout)]];
    if (resource.Type === 'AWS::ApiGateway::Deployment' && throttle !== undefined) {
      const { StageName: _, ...properties } = resource.Properties ?? {};
      return [
        [id, { ...resource, Properties: properties }],
        ['ApiGatewayStage', restStage(id, properties.RestApiId, stage, throttle)],
      ];
    }
    return [];
  });
  return Object.fromEntries(changed);
}

const withProperties = (resource: Resource, more: Readonly<Record<string, unknown>>): Resource => ({
  ...resource,
  Properties: { ...resource.Properties, ...more },
});

function routeSettings({ Properties = {} }: Resource, { rate, burst }: Throttle): object {
  const { DefaultRouteSettings: given } = Properties;
  return {
    ...(typeof given === 'object' ? given : {}),
    ThrottlingRateLimit: rate,
    ThrottlingBurstLimit: burst,
  };
}

/** An integration that streams can wait 15 minutes, but waits only 29 s if its timeout is not set. */
function waitingMethod(resource: Resource, timeout: number): Resource {
  const integration = new Map<string, unknown>(Object.entries(resource.Properties?.Integration ?? {}));
  if (integration.get('ResponseTransferMode') !== 'STREAM') return resource;
  const waits = integration.get('TimeoutInMillis') ?? timeout * 1000;
  return withProperties(resource, {
    Integration: { ...Object.fromEntries(integration), TimeoutInMillis: waits },
  });
}

function restStage(deployment: string, restApi: unknown, stage: string, { rate, burst }: Throttle): Resource {
  return {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      StageName: stage,
      RestApiId: restApi,
      DeploymentId: { Ref: deployment },
      MethodSettings: [
        { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst },
      ],
    },
  };
}
