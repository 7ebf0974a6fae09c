import type { RequestRecord } from '../../../../contract/dashboard/activity.ts';
import { curl } from '../settings/integrations/api-keys/create/code-of-key.ts';

/** The shell puts the key in; it is nowhere in what is copied. */
const KEY = '$PARLEY_API_KEY';
const BODY = '{}';

/** The path with what is known of it; what callers put in themselves was not kept and stays a place. */
export const pathOfRequest = ({ route, ids }: Pick<RequestRecord, 'route' | 'ids'>): string =>
  route.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? `{${name}}`);

export function curlOfRequest(
  item: RequestRecord,
  baseUrl: string,
): { code: string; body: string | null; places: string[] } {
  const { method } = item;
  const path = pathOfRequest(item);
  const body = method === 'GET' || method === 'DELETE' ? null : BODY;
  const code = curl({ method, path, ...(body !== null && { body }) }, baseUrl, KEY);
  return { code, body, places: path.match(/\{\w+\}/g) ?? [] };
}
