import { bundleFunction } from './bundle.js';
import { type Endpoint, endpointSchema } from './endpoint.js';

/** The part of the Serverless Framework that the plugin uses. The framework has no types. */
interface Serverless {
  readonly serviceDir: string;
  readonly service: { readonly custom?: { readonly endpoint?: Endpoint } };
  readonly configSchemaHandler: { defineCustomProperties(schema: object): void };
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
}

/**
 * The plugin of the Serverless Framework. It makes the function that `custom.endpoint` of `serverless.yml` describes,
 * whenever the service is packaged, deployed or run offline, and on `osls bundle`. It does nothing if the service has no
 * such section.
 *
 * @example
 * // serverless.yml
 * plugins: [mcp-concerns/serverless]
 */
export default class EndpointPlugin {
  readonly commands = {
    bundle: { usage: 'Bundles the function that custom.endpoint describes', lifecycleEvents: ['run'] },
  };
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;

  constructor(private readonly serverless: Serverless) {
    serverless.configSchemaHandler.defineCustomProperties({
      type: 'object',
      properties: { endpoint: endpointSchema },
    });
    const bundle = () => this.bundle();
    this.hooks = {
      'bundle:run': bundle,
      'before:package:createDeploymentArtifacts': bundle,
      'before:offline:start:init': bundle,
    };
  }

  private async bundle(): Promise<void> {
    const { serviceDir, service, classes } = this.serverless;
    const endpoint = service.custom?.endpoint;
    if (endpoint === undefined) return;
    try {
      await bundleFunction(endpoint, serviceDir);
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      // The framework prints errors of its own class without a stack.
      const code = 'code' in cause ? String(cause.code) : 'BUNDLE_FAILED';
      throw new classes.Error(cause.message, code);
    }
  }
}
