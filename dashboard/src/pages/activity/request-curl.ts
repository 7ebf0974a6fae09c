import { curlOf } from '../../../../contract/code-samples.ts';
import type { RequestRecord } from '../../../../contract/dashboard/activity.ts';

const BODY = {};

/**
 * The path of a request with its known IDs. IDs that callers chose were not stored, so the path has their placeholders.
 */
export const pathOfRequest = ({ route, ids }: Pick<RequestRecord, 'route' | 'ids'>): string =>
  route.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? `{${name}}`);

export function curlOfRequest(
  item: RequestRecord,
  baseUrl: string,
): { code: string; body: string | null; places: string[] } {
  const { method } = item;
  const path = pathOfRequest(item);
  const body = method === 'GET' || method === 'DELETE' ? null : BODY;
  const code = curlOf({ method, path, ...(body !== null && { body }) }, baseUrl);
  return { code, body: body && JSON.stringify(body), places: path.match(/\{\w+\}/g) ?? [] };
}
