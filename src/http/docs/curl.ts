import type { Endpoint } from './reference.ts';

/** A curl command to paste into a shell, after the words in capitals are replaced. */
export function curlOf({ method, path, operation }: Endpoint, baseUrl: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => name.toUpperCase());
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(baseUrl + filled)}`];
  if (operation.security.length > 0) lines.push(`-H 'Authorization: Bearer <API_KEY>'`);
  if (operation.parameters?.some(({ name }) => name === 'Idempotency-Key'))
    lines.push(`-H 'Idempotency-Key: <UNIQUE>'`);
  const example = operation.requestBody?.content['application/json'].example;
  if (operation.requestBody) {
    lines.push(`-H 'Content-Type: application/json'`);
    lines.push(`-d ${quote(JSON.stringify(example ?? {}, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

/** Inside single quotes a shell reads all characters literally, except the quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
