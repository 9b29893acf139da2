/** The first version of Node.js whose `fetch` uses the proxy of the environment, if it is told so. */
const PROXY_SINCE = 22;

/**
 * Says why a URL may not be reached where the environment names a proxy: `fetch` uses it only if another variable says so.
 *
 * @param url the server
 * @param env the environment
 * @param version the version of Node.js
 * @returns a sentence; `undefined` if no proxy is named, or it is used
 * @example
 * proxyAdvice(new URL('https://mcp.example/mcp'), { HTTPS_PROXY: 'http://proxy:8080' }); // 'HTTPS_PROXY is set: also set NODE_USE_ENV_PROXY=1.'
 */
export function proxyAdvice(
  url: URL,
  env: NodeJS.ProcessEnv,
  version: string = process.versions.node,
): string | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const found = [name, name.toLowerCase()].find((each) => (env[each] ?? '') !== '');
  if (found === undefined || env.NODE_USE_ENV_PROXY === '1') return undefined;
  const how = Number.parseInt(version, 10) < PROXY_SINCE ? 'use Node.js 22 with' : 'also set';
  return `${found} is set: ${how} NODE_USE_ENV_PROXY=1.`;
}
