import type { OpenApiDocument } from './openapi.ts';
import { GUIDE_NAMES, GUIDES } from './guides.ts';
import { endpointsOf } from './reference.ts';

/** Serves the starting point for a program that reads the docs (llmstxt.org). */
export function llmsText(document: OpenApiDocument, baseUrl: string): string {
  const lines = endpointsOf(document).map(
    ({ method, path, operation }) => `- ${method.toUpperCase()} ${path}: ${operation.summary}`,
  );
  return `# Parley

> HTTP API of a conversational-agent platform: start conversations of agents from a backend and follow them.

Base URL: ${baseUrl}
Send \`Authorization: Bearer <API_KEY>\` and JSON. Errors are application/problem+json with a \`code\`; look codes up under ${baseUrl}/docs/problems/<code>.
Acting calls take an \`Idempotency-Key\` header: the same key and body act once within 24 hours. A 429 or 503 says in Retry-After how long to wait.

## Reference

- [OpenAPI 3.1](${baseUrl}/api/openapi.json): every endpoint, schema and error
- [Reference for people](${baseUrl}/docs)
- [Problem codes](${baseUrl}/docs/problems)

## Guides

${GUIDE_NAMES.map((name) => `- [${GUIDES[name]}](${baseUrl}/docs/guides/${name})`).join('\n')}

## Endpoints

${lines.join('\n')}
`;
}
