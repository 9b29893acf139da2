// CORS of the HTTP API of serverless.jwt.yml. That API answers 401 itself, and web pages must be able to read the answer.
// Without origins, CORS is off.
module.exports = async ({ resolveVariable }) => {
  const origins = String(await resolveVariable('param:origins'))
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  if (origins.length === 0) return false;
  return {
    allowedOrigins: origins,
    allowedMethods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: [
      'Accept',
      'Authorization',
      'Content-Type',
      'Last-Event-ID',
      'Mcp-Concerns',
      'Mcp-Method',
      'Mcp-Name',
      'Mcp-Protocol-Version',
      'Mcp-Session-Id',
      'X-MCP-Exclude-Tools',
      'X-MCP-Tools',
    ],
    exposedResponseHeaders: ['Mcp-Session-Id', 'WWW-Authenticate'],
    maxAge: 7200,
  };
};
