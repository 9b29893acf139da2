import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** SSM, S3 and AppConfig on a local port, as far as the AWS clients use them to read a policy. */
export interface LocalAws {
  /** Environment variables that send the AWS clients here. */
  readonly env: Readonly<Record<string, string>>;
  /** The texts, by `ssm:NAME`, `s3:BUCKET/KEY` or `appconfig:APPLICATION/ENVIRONMENT/PROFILE`. */
  readonly texts: Map<string, string>;
  /** What was read, in order. */
  readonly reads: string[];
  /** Answers every request with this status until it is set to 200 again; 0 answers nothing. */
  status: number;
  close(): Promise<void>;
}

export async function startAws(): Promise<LocalAws> {
  const texts = new Map<string, string>();
  const reads: string[] = [];
  const polled = new Map<string, string>();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const send = (status: number, text: string, headers: Record<string, string> = {}) =>
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      if (aws.status === 0) return;
      if (aws.status !== 200)
        return send(aws.status, '{"__type":"AccessDeniedException","message":"refused"}');
      const url = new URL(request.url ?? '/', 'http://aws.local');
      if (request.headers['x-amz-target'] === 'AmazonSSM.GetParameter') {
        const { Name } = JSON.parse(body);
        reads.push(`ssm:${Name}`);
        const Value = texts.get(`ssm:${Name}`);
        if (Value === undefined) return send(400, '{"__type":"ParameterNotFound","message":"none"}');
        return send(200, JSON.stringify({ Parameter: { Name, Type: 'String', Value } }));
      }
      if (url.pathname === '/configurationsessions') {
        const { ApplicationIdentifier, EnvironmentIdentifier, ConfigurationProfileIdentifier } =
          JSON.parse(body);
        const place = `${ApplicationIdentifier}/${EnvironmentIdentifier}/${ConfigurationProfileIdentifier}`;
        return send(201, JSON.stringify({ InitialConfigurationToken: `${place} 0` }));
      }
      if (url.pathname === '/configuration') {
        const [place = '', count] = (url.searchParams.get('configuration_token') ?? '').split(' ');
        reads.push(`appconfig:${place}`);
        const text = texts.get(`appconfig:${place}`) ?? '';
        // AppConfig sends an empty body if nothing has changed since the last poll.
        const changed = polled.get(place) !== text || count === '0';
        polled.set(place, text);
        const next = { 'next-poll-configuration-token': `${place} ${Number(count) + 1}` };
        return send(200, changed ? text : '', next);
      }
      reads.push(`s3:${url.pathname.slice(1)}`);
      const text = texts.get(`s3:${url.pathname.slice(1)}`);
      if (text === undefined) {
        return send(404, '<Error><Code>NoSuchKey</Code><Message>none</Message></Error>', {
          'content-type': 'application/xml',
        });
      }
      return send(200, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const aws: LocalAws = {
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_SSM: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ENDPOINT_URL_APPCONFIGDATA: endpoint,
    },
    texts,
    reads,
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return aws;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
